/* Vertex stage: a loop and a branch by vertex. */
KERNEL(vertex_loop)
    FOR(1, uint i = 0u, i < (IN(0) & 7u), 5, i++)
    {
        M(2)
        if ((IN(1) & (1u << i)) != 0u) {
            M(3)
            r += i;
        }
        M(4)
        r += 1u;
    }
    ENDFOR
    M(6)
    r += 2u;
END

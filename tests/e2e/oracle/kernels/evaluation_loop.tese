/* Tessellation evaluation stage: by tessellated vertex. */
KERNEL(evaluation_loop)
    FOR(1, uint i = 0u, i < (IN(0) & 3u), 3, i++)
    {
        M(2)
        r += i + 1u;
    }
    ENDFOR
    M(4)
    r += 1u;
END

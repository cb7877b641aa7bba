/* OpTerminateInvocation in the inner of two loops, inside an arm. */
KERNEL(terminate_nested)
    FOR(1, uint i = 0u, i < (IN(0) & 3u) + 1u, 11, i++)
    {
        M(2)
        FOR(3, uint j = 0u, j < (IN(1) & 3u) + 1u, 9, j++)
        {
            M(4)
            r += i * 3u + j + (IN(2) & 1u);
            if (((IN(3) >> (i * 4u + j)) & 7u) == 5u) {
                M(5)
                r += 1u;
                if (r > 3u) {
                    M(6)
                    KILL
                }
                M(7)
            }
            M(8)
            r += 2u;
        }
        ENDFOR
        M(10)
        r ^= 1u;
    }
    ENDFOR
    M(12)
    r += 100u;
END

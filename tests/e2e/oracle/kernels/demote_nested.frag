/* Demotes in the arms of an if in the inner of two loops, some lanes in each iteration. */
KERNEL(demote_nested)
    FOR(1, uint i = 0u, i < 3u, 9, i++)
    {
        M(2)
        FOR(3, uint j = 0u, j < 2u + (i & 1u), 7, j++)
        {
            M(4)
            r += i + j;
            if (((IN(0) >> (i * 3u + j)) & 7u) == 2u) {
                M(5)
                DEMOTE
            }
            M(6)
            r += IN(1) & 3u;
        }
        ENDFOR
        M(8)
        r ^= 5u;
    }
    ENDFOR
    M(10)
    r += 1u;
END

/* A loop that all its lanes leave together, with an arm and a break, in a loop that some lanes return from. */
KERNEL(whole_in_open)
    FOR(1, uint i = 0u, i < (IN(0) & 3u) + 2u, 11, i++)
    {
        M(2)
        r += i;
        FOR(3, uint j = 0u, j < ((IN(1) >> i) & 7u), 7, j++)
        {
            M(4)
            r += j;
            if (((IN(2) >> (i + j)) & 3u) == 1u) {
                M(5)
                r += 20u;
                if (r > 90u)
                    break;
            }
            M(6)
            r += 1u;
        }
        ENDFOR
        M(8)
        r += 5u;
        if (((IN(3) >> (i * 2u)) & 7u) == 6u) {
            M(9)
            r += 1000u;
            RETURN
        }
        M(10)
        r ^= 1u;
    }
    ENDFOR
    M(12)
    r += 4u;
END

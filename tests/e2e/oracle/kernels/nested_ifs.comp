/* Divergent ifs in divergent ifs, in loops, with and without else: masks that shrink on the way in and grow again on the
 * way out, differently in each iteration. */
KERNEL(nested_ifs)
    FOR(1, uint i = 0u, i < (IN(0) & 3u) + 2u, 19, i++)
    {
        M(2)
        uint bits = IN(1) >> (i * 3u);
        if ((bits & 1u) != 0u) {
            M(3)
            r += 1u;
            if ((bits & 2u) != 0u) {
                M(4)
                r += 10u;
                if ((bits & 4u) != 0u) {
                    M(5)
                    r += 100u;
                } else {
                    M(6)
                    r ^= 7u;
                }
                M(7)
                r += 3u;
            }
            M(8)
            r += IN(2) & 1u;
        } else {
            M(9)
            FOR(10, uint j = 0u, j < (bits & 3u), 14, j++)
            {
                M(11)
                r += j;
                if (((r + id) & 1u) == 0u) {
                    M(12)
                    r += 5u;
                }
                M(13)
                r ^= j;
            }
            ENDFOR
            M(15)
            r += 2u;
        }
        M(16)
        if ((r & 3u) == i) {
            M(17)
            r += 9u;
        }
        M(18)
        r += 1u;
    }
    ENDFOR
    M(20)
    r ^= IN(3) & 15u;
END

/* Breaks inside arms: of an if in an if, beside a continue, of the inner loop's arm after work of its own. What is
 * entered by a lane and left early may not be derived from who comes to its end. */
KERNEL(break_arm)
    FOR(1, uint i = 0u, i < 6u, 18, i++)
    {
        M(2)
        uint bits = IN(0) >> (i * 2u);
        if ((bits & 1u) != 0u) {
            M(3)
            r += 4u;
            if (((IN(1) >> i) & 7u) == 3u) {
                M(4)
                r += 1000u;
                break;
            }
            M(5)
            if ((bits & 2u) != 0u) {
                M(6)
                r += 7u;
                continue;
            }
            M(7)
            r += 2u;
        }
        M(8)
        FOR(9, uint j = 0u, j < (IN(2) & 3u) + 1u, 16, j++)
        {
            M(10)
            if (((IN(3) >> (i + j)) & 1u) != 0u) {
                M(11)
                r += j;
                if ((r & 1u) != 0u) {
                    M(12)
                    r += 60u;
                    break;
                }
                M(13)
                r += 1u;
            } else {
                M(14)
                r ^= 2u;
            }
            M(15)
            r += 1u;
        }
        ENDFOR
        M(17)
        r += 11u;
    }
    ENDFOR
    M(19)
    r += 1u;
END

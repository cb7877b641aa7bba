/* A switch in a loop in a case of a switch in a loop: cases that fall through, go round, and lanes that no case
 * takes. */
KERNEL(switch_nested)
    FOR(1, uint i = 0u, i < 3u, 15, i++)
    {
        M(2)
        switch ((IN(0) >> (i * 3u)) & 3u) {
        case 0u:
            M(3)
            r += 3u;
            FALL
        case 1u:
            M(4)
            FOR(5, uint j = 0u, j < (IN(1) & 3u) + 1u, 11, j++)
            {
                M(6)
                switch ((IN(2) >> (i + j * 2u)) & 3u) {
                case 2u:
                    M(7)
                    r ^= 8u;
                    FALL
                case 3u:
                    M(8)
                    r += 11u;
                    break;
                case 1u:
                    M(10)
                    continue;
                }
                r += j;
            }
            ENDFOR
            M(12)
            r += 6u;
            break;
        case 2u:
            M(13)
            r += 5u;
            continue;
        }
        M(14)
        r += 2u;
    }
    ENDFOR
    M(16)
    r += 100u;
END

/* Switch with default, inside a loop; break leaves the switch, continue the iteration. */
KERNEL(switch_cases)
    FOR(1, uint i = 0u, i < 4u, 11, i++)
    {
        M(2)
        switch ((IN(0) >> (i * 2u)) & 3u) {
        case 0u:
            M(3)
            r += 3u;
            break;
        case 1u:
            M(4)
            if ((IN(1) & (1u << i)) != 0u) {
                M(5)
                r += 40u;
                break;
            }
            M(6)
            r += 50u;
            break;
        case 2u:
            M(7)
            r += 600u;
            continue;
        default:
            M(8)
            r += 7000u;
            break;
        }
        M(10)
        r ^= i;
    }
    ENDFOR
    M(12)
    r += IN(2);
END

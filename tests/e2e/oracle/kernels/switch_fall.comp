/* Cases that fall through, always or for some lanes only, and meet lanes that jump there; default in the middle. */
KERNEL(switch_fall)
    FOR(1, uint i = 0u, i < 5u, 12, i++)
    {
        M(2)
        switch ((IN(0) >> (i * 3u)) & 7u) {
        case 0u:
            M(3)
            r += 3u;
            FALL
        case 1u:
            M(4)
            r += 40u;
            if (((IN(1) >> i) & 1u) != 0u) {
                M(5)
                r += 1u;
                break;
            }
            M(6)
            r ^= 9u;
            FALL
        default:
            M(7)
            r += 500u;
            FALL
        case 4u:
            M(8)
            r += 6u;
            break;
        case 5u:
            M(9)
            r += 7000u;
            continue;
        }
        M(11)
        r ^= i;
    }
    ENDFOR
    M(13)
    r += IN(2);
END

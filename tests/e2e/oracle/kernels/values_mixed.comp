/* Value sites of every sort that a kernel without descriptors has: indices by lane, bounds that are equal, that
 * differ by lane, that a loop computes; selectors; conditions on what all share; more values than a table holds. */
KERNEL(values_mixed)
    ASKED(0, id)
    ASKED(1, id * 4u)
    uint n = IN(0) % 6u;
    uint all = SHARED(1) % 7u;
    ASKED(2, n)
    FOR(1, uint i = 0u, i < n, 3, i++)
    {
        M(2)
        r += i;
    }
    ENDFOR
    M(4)
    ASKED(3, all)
    FOR(5, uint j = 0u, j < all, 10, j++)
    {
        M(6)
        ASKED(4, (n + j) & 3u)
        switch ((n + j) & 3u) {
        case 0u:
            M(7)
            r += 5u;
            break;
        case 1u:
            M(8)
            r += 11u;
            break;
        default:
            break;
        }
        M(9)
        r += 1u;
    }
    ENDFOR
    M(11)
    ASKED(5, all)
    if (all > 3u) {
        M(12)
        r += 100u;
    }
    M(13)
    ASKED(6, id * 4u + 2u)
    uint many = IN(2) % 61u;
    ASKED(7, many)
    switch (many) {
    case 3u:
        M(14)
        r += 7u;
        break;
    case 60u:
        M(15)
        r += 9u;
        break;
    default:
        M(16)
        r += 2u;
        break;
    }
    M(17)
    ASKED(8, id)
END

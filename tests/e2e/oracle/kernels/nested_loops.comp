/* Inner loop entered with a different mask each time; break and continue at both levels. */
KERNEL(nested_loops)
    uint n = IN(0) % 6u;
    FOR(1, uint i = 0u, i < n, 16, i++)
    {
        M(2)
        uint m = (IN(1) >> i) % 5u;
        if (m == 4u) {
            M(3)
            r += 1000u;
            continue;
        }
        M(4)
        FOR(5, uint j = 0u, j < m + 1u, 12, j++)
        {
            M(6)
            r += i * 7u + j;
            if (((r >> 2) & 3u) == 1u) {
                M(7)
                continue;
            }
            M(8)
            if ((r & 7u) == 6u) {
                M(9)
                break;
            }
            M(10)
            r += 3u;
        }
        ENDFOR
        M(13)
        if (r > 90u) {
            M(14)
            break;
        }
        M(15)
        r += 2u;
    }
    ENDFOR
    M(17)
    r += n;
END

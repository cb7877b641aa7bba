/* As rounds.comp, with more to add up than the keys of a table hold. */
KERNEL(rounds_if)
    uint count = 3u + (id & 3u) + ((id & 39u) == 5u ? 4200u + (id & 48u) : 0u);
    FOR(1, uint i = 0u, i < count, 6, i++)
    {
        M(2)
        if (((i ^ id) & 3u) == 0u) {
            M(3)
            r += i;
        } else {
            M(4)
            r ^= i;
        }
        M(5)
        r += 1u;
    }
    ENDFOR
    M(7)
    FOR(8, uint i = 0u, i < (id & 7u), 12, i++)
    {
        M(9)
        if (((i ^ id) & 1u) == 0u) {
            M(10)
            r += i;
        }
        M(11)
        r += 1u;
    }
    ENDFOR
    M(13)
    r += count;
END

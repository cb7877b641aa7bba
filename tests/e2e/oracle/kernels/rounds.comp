/* Loops that some lanes leave late: their visits are wider than the field of a word, so a wave adds them in several
 * rounds (compiler/instrument/counting/waves.h). What the last round adds is, in the first sort of waves, what those of
 * the second sort have as a whole. */
KERNEL(rounds)
    uint way = id / 64u & 3u;
    bool late = (id & 7u) == 5u;
    uint once = late && way < 2u ? 7u + (1u - way) * 4095u : 0u;
    uint count = way < 2u ? 0u : 3u + (id & 3u) + (late ? (way - 2u) * (4200u + (id & 48u)) : 0u);
    FOR(1, uint i = 0u, i < once, 3, i++)
    {
        M(2)
        r += i;
    }
    ENDFOR
    M(4)
    r ^= once;
    FOR(5, uint i = 0u, i < count, 10, i++)
    {
        M(6)
        if (((i ^ id) & 3u) == 0u) {
            M(7)
            r += i;
        } else {
            M(8)
            r ^= i;
        }
        M(9)
        r += 1u;
    }
    ENDFOR
    M(11)
    r += count;
END

/* A loop that some lanes leave late: their visits are wider than the field of a word, so a wave adds them in several
 * rounds (compiler/instrument/counting/waves.h). What the last round of the first sort of waves adds to the loop is what
 * those of the second sort have as a whole. */
KERNEL(rounds)
    uint way = id / 64u & 3u;
    uint count = (id & 7u) != 5u ? way >> 1 : way == 0u ? 4095u + 7u : way == 1u ? 7u : 4200u + (id & 48u);
    FOR(1, uint i = 0u, i < count, 3, i++)
    {
        M(2)
        r += i;
    }
    ENDFOR
    M(4)
    r += count;
END

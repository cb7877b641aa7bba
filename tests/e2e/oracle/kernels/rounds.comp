/* Loops that some lanes leave late: their visits are wider than the field of a word, so a wave adds them in several
 * rounds, and once in one (compiler/instrument/counting/waves.h). */
KERNEL(rounds)
    uint late = (id & 15u) == 5u ? 4200u + (id & 48u) : 0u;
    if ((id & 32u) == 0u) {
        M(1)
        late = 0u;
    }
    M(2)
    uint count = 3u + (id & 3u) + late;
    FOR(3, uint i = 0u, i < count, 8, i++)
    {
        M(4)
        if (((i ^ id) & 3u) == 0u) {
            M(5)
            r += i;
        } else {
            M(6)
            r ^= i;
        }
        M(7)
        r += 1u;
    }
    ENDFOR
    M(9)
    r += late;
END

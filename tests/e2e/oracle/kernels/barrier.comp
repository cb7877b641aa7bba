/* Barriers in a uniform loop, divergence between them; early-return is kept away as barriers need every lane. */
KERNEL(barrier)
    FOR(1, uint i = 0u, i < 3u, 6, i++)
    {
        M(2)
        BARRIER
        r += i;
        if ((IN(0) & (1u << i)) != 0u) {
            M(3)
            r += 20u;
        } else {
            M(4)
            r += 300u;
        }
        M(5)
        BARRIER
        r ^= 1u;
    }
    ENDFOR
    M(7)
    r += IN(1);
END

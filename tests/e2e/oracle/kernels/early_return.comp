/* Lanes leave one after another: their slots idle afterwards, so what the rest runs is not uniform. */
KERNEL(early_return)
    if ((IN(0) % 11u) == 3u) {
        M(1)
        r = 1u;
        RETURN
    }
    M(2)
    uint n = IN(1) % 9u;
    FOR(3, uint i = 0u, i < 8u, 7, i++)
    {
        M(4)
        r += i * IN(2);
        if (i == n) {
            M(5)
            r += 5u;
            RETURN
        }
        M(6)
        r ^= 0x55u;
    }
    ENDFOR
    M(8)
    r += 2u;
END

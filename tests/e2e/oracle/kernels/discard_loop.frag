/* Lanes are discarded in different iterations. */
KERNEL(discard_loop)
    uint n = IN(0) % 12u;
    FOR(1, uint i = 0u, i < 6u, 5, i++)
    {
        M(2)
        r += i + (IN(1) & 3u);
        if (i == n) {
            M(3)
            KILL
        }
        M(4)
        r ^= 1u;
    }
    ENDFOR
    M(6)
    r += 1u;
END

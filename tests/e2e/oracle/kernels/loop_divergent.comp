/* Trip count differs by lane, zero included. */
KERNEL(loop_divergent)
    uint n = IN(0) % 13u;
    FOR(1, uint i = 0u, i < n, 3, i++)
    {
        M(2)
        r += i * IN(1);
    }
    ENDFOR
    M(4)
    r ^= n;
END

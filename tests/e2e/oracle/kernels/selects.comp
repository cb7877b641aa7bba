/* Selects, in a loop, in an arm that few lanes take, and after lanes have left. */
KERNEL(selects)
    uint a = IN(0), b = IN(1);
    r = SELECT(0, (a & 3u) == 1u, a, b);
    FOR(1, uint i = 0u, i < (b & 7u), 3, i++)
    {
        M(2)
        r += SELECT(1, (a >> i) < 5000u, b, i);
    }
    ENDFOR
    M(4)
    if ((a & 15u) == 7u) {
        M(5)
        r ^= SELECT(2, (b & 1u) == 0u, a, b);
        RETURN
    }
    M(6)
    r += SELECT(3, id < 200u, a, b);
END

/* Divergent branch and loop; with the small triangle, waves along the edges hold helper lanes. */
KERNEL(partial)
    if ((IN(0) & 1u) == 1u) {
        M(1)
        r = 3u;
    }
    M(2)
    FOR(3, uint i = 0u, i < (IN(1) & 7u), 5, i++)
    {
        M(4)
        r += i;
    }
    ENDFOR
    M(6)
    r += 1u;
END

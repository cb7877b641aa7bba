/* Lanes are demoted in different iterations of a loop that the rest goes on running. */
KERNEL(demote_loop)
    uint n = IN(0) % 9u;
    FOR(1, uint i = 0u, i < 5u, 5, i++)
    {
        M(2)
        r += i;
        if (i == n) {
            M(3)
            DEMOTE
        }
        M(4)
        r += 10u;
    }
    ENDFOR
    M(6)
    r += 1u;
END

/* Demoted lanes run on as helpers and count nowhere; the others are then judged without them. */
KERNEL(demote_arm)
    if ((IN(0) % 5u) == 2u) {
        M(1)
        r = 9u;
        DEMOTE
    }
    M(2)
    r += 2u;
    if ((IN(1) & 3u) != 0u) {
        M(3)
        r += 4u;
    }
    M(4)
    FOR(5, uint i = 0u, i < (IN(2) & 3u) + 1u, 7, i++)
    {
        M(6)
        r += i;
    }
    ENDFOR
    M(8)
    r += 1u;
END

/* Lanes leave at several places, some of them in an arm: the lanes that stay meet again, and have arms and a loop before
 * more of them leave. Blocks outside of the loop are marks of the trunk. */
KERNEL(exits)
    if ((IN(0) & 7u) == 1u) {
        M(1)
        r += 1u;
    }
    M(2)
    if ((IN(0) % 13u) == 3u) {
        M(3)
        r = 1u;
        RETURN
    }
    M(4)
    if ((IN(1) & 1u) != 0u) {
        M(5)
        r += 7u;
        if ((IN(1) & 6u) == 6u) {
            M(6)
            r ^= 3u;
            RETURN
        }
        M(7)
        if ((IN(2) & 1u) != 0u) {
            M(8)
            r += 2u;
        } else {
            M(9)
            r += 3u;
        }
        M(10)
        r ^= 0x11u;
    } else {
        M(11)
        r += 9u;
    }
    M(12)
    if ((IN(2) & 6u) == 2u) {
        M(13)
        r += 5u;
    }
    M(14)
    if ((IN(0) & 3u) == 1u) {
        M(24)
        r += 11u;
    }
    M(25)
    if ((IN(1) & 12u) == 4u) {
        M(26)
        r += 12u;
    }
    M(27)
    if ((IN(2) & 24u) == 8u) {
        M(28)
        r += 13u;
    }
    M(29)
    if ((IN(0) & 48u) == 32u) {
        M(30)
        r += 14u;
    }
    M(31)
    FOR(15, uint i = 0u, i < (IN(2) & 3u), 17, i++)
    {
        M(16)
        r += i * IN(1);
    }
    ENDFOR
    M(18)
    if ((IN(2) % 5u) == 4u) {
        M(19)
        RETURN
    }
    M(20)
    if ((r & 1u) != 0u) {
        M(21)
        r += 2u;
    } else {
        M(22)
        r += 4u;
    }
    M(23)
    r += 100u;
END

/* Loops of which one lane tells the wave's numbers of many blocks (compiler/instrument/counting/waves.h): the last to
 * leave, and the first. Lanes leave the first loop at its head or from within an iteration, behind some of its arms. One
 * lane in 64 stays so long that its visits are wider than their field. Of some waves, lanes have returned before. */
KERNEL(leaders)
    if ((IN(3) >> 6 & 15u) == 3u) {
        M(1)
        RETURN
    }
    M(2)
    uint count = IN(0) % 9u + (id & 63u) / 63u * 4400u;
    FOR(3, uint i = 0u, i < count, 16, i++)
    {
        M(4)
        if (((IN(1) >> (i & 15u)) & 1u) != 0u) {
            M(5)
            r += i;
        } else {
            M(6)
            r ^= 3u;
        }
        M(7)
        if (r % 61u + i / 64u * 61u == 60u) {
            M(8)
            r += 1000u;
            break;
        }
        M(9)
        FOR(10, uint j = 0u, j < (r & 3u), 12, j++)
        {
            M(11)
            r += j;
        }
        ENDFOR
        M(13)
        if (((IN(2) >> (i & 7u)) & 3u) == 2u) {
            M(14)
            r += 5u;
        }
        M(15)
        r += 1u;
    }
    ENDFOR
    M(17)
    r += 7u;
    FOR(18, uint k = 0u, k < (IN(3) & 15u), 23, k++)
    {
        M(19)
        if (((IN(0) >> k) & 1u) != 0u) {
            M(20)
            r += k;
        } else {
            M(21)
            r ^= 5u;
        }
        M(22)
        r += 2u;
    }
    ENDFOR
    M(24)
    r += 3u;
END

/* Divergent two-armed branch, then a one-armed one that almost no wave takes. */
KERNEL(if_else)
    if ((IN(0) & 1u) == 0u) {
        M(1)
        r = IN(1) + 7u;
    } else {
        M(2)
        r = IN(1) * 5u;
    }
    M(3)
    if ((IN(2) & 63u) == 5u) {
        M(4)
        r ^= 0xffu;
    }
    M(5)
    r += 1u;
END

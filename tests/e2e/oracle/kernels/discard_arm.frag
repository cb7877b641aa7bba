/* Discarded lanes end, but their slots idle: they stay in the entry mask. */
KERNEL(discard_arm)
    if ((IN(0) % 5u) == 2u) {
        M(1)
        KILL
    }
    M(2)
    if ((IN(1) & 1u) == 1u) {
        M(3)
        r = 7u;
    }
    M(4)
    r += 2u;
END

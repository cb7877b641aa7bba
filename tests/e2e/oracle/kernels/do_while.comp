/* The body runs at least once; a continue goes to the condition. */
KERNEL(do_while)
    uint left = IN(0) % 7u;
    DO(1)
        M(1)
        r += left * 3u;
        if ((r & 1u) == 1u) {
            M(2)
            r += 10u;
            left = left - min(left, 2u);
            continue;
        }
        M(3)
        left = left - min(left, 1u);
    WHILE(4, left > 0u)
    M(5)
    r ^= 0x33u;
END

/* Outer iterations in which a different lane takes the arm each time: a maximum taken once at the end sees one execution
 * where there were several. */
KERNEL(arm_by_turns)
    FOR(1, uint i = 0u, i < 8u, 5, i++)
    {
        M(2)
        if ((id & 7u) == i) {
            M(3)
            r += i + IN(0);
        }
        M(4)
        r += 1u;
    }
    ENDFOR
    M(6)
    r ^= id;
END

/* Calls: one function called from two places, with an early return and a loop it returns from. */
FUNCTION(collatz, a)
    M(40)
    if (a < 2u) {
        M(41)
        return 1u;
    }
    M(42)
    FOR(43, uint i = 0u, i < 6u, 48, i++)
    {
        M(44)
        if ((a & 1u) == 1u) {
            M(45)
            a = a * 3u + 1u;
            if (a > 200u) {
                M(46)
                return a + i;
            }
        }
        M(47)
        a = a >> 1;
    }
    ENDFOR
    M(49)
    return a;
ENDFUNCTION

KERNEL(functions)
    r = CALL(1, collatz, IN(0) & 63u);
    M(2)
    if ((r & 3u) == 2u) {
        M(3)
        r += CALL(4, collatz, IN(1) & 31u);
        M(5)
        r += 1u;
    }
    M(6)
    r ^= 5u;
END

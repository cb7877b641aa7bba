/* A function that ends invocations, called from the step of a loop: it stays a call, so that nothing may be kept for the
 * whole function. The inner loop is left by all that enter it, again in every round of the outer one, which is not: what
 * is kept for the inner one begins anew each time. */
FUNCTION(step_or_end, a)
    M(40)
    if ((a & 15u) == 9u) {
        M(41)
        a += 1u;
        KILL
    }
    M(42)
    return (a & 1u) + 1u;
ENDFUNCTION

KERNEL(kill_call)
    FOR(1, uint i = 0u, i < 8u, 9, i += CALL(10, step_or_end, IN(0) >> i))
    {
        M(2)
        FOR(3, uint j = 0u, j < ((IN(1) >> i) & 3u) + 1u, 7, j++)
        {
            M(4)
            r += j;
            if (((IN(2) >> (i + j)) & 1u) != 0u) {
                M(5)
                r ^= 6u;
            }
            M(6)
            r += 3u;
        }
        ENDFOR
        M(8)
        r += 1u;
    }
    ENDFOR
    M(11)
    r += 100u;
END

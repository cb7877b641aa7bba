/* A call inside a divergent loop, of a function that returns in one place. */
FUNCTION(mix_in, a)
    M(20)
    uint x = a * 2654435761u;
    if ((x >> 28) > 7u) {
        M(21)
        x ^= 0xabcdu;
    }
    M(22)
    return x >> 7;
ENDFUNCTION

KERNEL(function_plain)
    FOR(1, uint i = 0u, i < (IN(0) & 7u), 4, i++)
    {
        M(2)
        r += CALL(3, mix_in, IN(1) + i);
    }
    ENDFOR
    M(5)
    r += 1u;
END

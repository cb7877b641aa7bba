/* Return from the inner of two loops. */
KERNEL(return_nested)
    FOR(1, uint i = 0u, i < (IN(0) & 3u) + 1u, 10, i++)
    {
        M(2)
        FOR(3, uint j = 0u, j < (IN(1) & 3u) + 1u, 7, j++)
        {
            M(4)
            r += i * 5u + j + (IN(2) & 1u);
            if (r > 11u) {
                M(5)
                RETURN
            }
            M(6)
            r += 1u;
        }
        ENDFOR
        M(8)
        r += 2u;
    }
    ENDFOR
    M(11)
    r += 100u;
END

/* Loops whose bound no driver knows, over arrays that their counter indexes: Mesa's NIR guesses the trips by
 * the array's length and unrolls them so far. Mesa 22.3 then takes the first if of the loop for its exit. */
KERNEL(index_loop)
    uint n = (SHARED(0) & 3u) + 1u, a[4], b[4];
    a[0] = IN(0) & 255u;
    a[1] = IN(1) & 255u;
    a[2] = IN(2) & 255u;
    a[3] = IN(3) & 255u;
    FOR(1, uint i = 0u, i < n, 3, i++)
    {
        M(2)
        r += a[i] * (i + 1u);
    }
    ENDFOR
    M(4)
    uint m = IN(1) % 5u;
    b[0] = b[1] = b[2] = b[3] = r;
    FOR(5, uint j = 0u, j < m, 9, j++)
    {
        M(6)
        if ((a[j] & 1u) != 0u) {
            M(7)
            b[j] = a[j];
        }
        M(8)
        r += 1u;
    }
    ENDFOR
    M(10)
    uint k = 0u;
    DO(11)
        M(11)
        r += b[k];
        k++;
    WHILE(12, k < n)
    M(13)
    r += n;
END

/* A branch on a specialisation constant: the arm not taken is not part of the pipeline. */
KERNEL(spec_constant)
    if (SPEC > 3u) {
        M(1)
        if ((IN(0) & 1u) == 1u) {
            M(2)
            r = 17u;
        }
        M(3)
        r += SPEC;
    } else {
        M(4)
        r = IN(1) >> 3;
    }
    M(5)
    r += 2u;
END

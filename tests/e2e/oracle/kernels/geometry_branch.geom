/* Geometry stage: by primitive. */
KERNEL(geometry_branch)
    if ((IN(0) & 3u) == 1u) {
        M(1)
        r = 5u;
    } else {
        M(2)
        r = 6u;
    }
    M(3)
    r += IN(1) & 15u;
END

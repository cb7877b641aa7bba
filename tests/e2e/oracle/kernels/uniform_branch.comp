/* Branches that a whole workgroup decides alike, around one that lanes decide. */
KERNEL(uniform_branch)
    uint block = id / 192u;
    if ((block & 1u) == 0u) {
        M(1)
        if ((IN(0) & 4u) != 0u) {
            M(2)
            r = 1u;
        }
        M(3)
        r += block;
    } else {
        M(4)
        r = block * 3u;
    }
    M(5)
    r += 9u;
END

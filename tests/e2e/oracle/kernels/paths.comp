/* Waves in which all lanes take one path, all take another, or lanes take both by turns. By the time of the third
 * sort both paths are known, and each lane could find its own (compiler/instrument/counting/paths.h). */
KERNEL(paths)
    uint way = id / 32u % 3u;
    uint other = (way & 1u) | (way >> 1 & id & 1u);
    if (other == 0u) {
        M(1)
        r += IN(0) & 7u;
    } else {
        M(2)
        r += IN(1) & 15u;
    }
    M(3)
    r += way;
    FOR(4, uint i = 0u, i < 2u + other, 6, i++)
    {
        M(5)
        r += r >> 3;
    }
    ENDFOR
    M(7)
    r += 1u;
END

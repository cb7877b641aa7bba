/* Control flow by the lane's number in its wave: the first half of the lanes goes on, then a quarter, ... */
KERNEL(by_lane)
    uint width = 128u;
    FOR(1, uint i = 0u, LANE < width, 3, i++)
    {
        M(2)
        r += width * (IN(0) & 3u);
        width = width >> 1;
    }
    ENDFOR
    M(4)
    r += width;
END

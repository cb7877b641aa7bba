/* Tessellation control stage: by output control point. */
KERNEL(control_switch)
    switch (IN(0) & 3u) {
    case 0u:
        M(1)
        r = 1u;
        break;
    case 1u:
        M(2)
        r = 2u;
        break;
    default:
        M(3)
        r = 3u;
        break;
    }
    M(4)
    r += 1u;
END

/* Built for Vulkan 1.3, where discard is OpTerminateInvocation and the module is SPIR-V 1.6. */
KERNEL(terminate)
    FOR(1, uint i = 0u, i < (IN(1) & 3u) + 1u, 6, i++)
    {
        M(2)
        r += i;
        if ((IN(0) & 15u) == i) {
            M(3)
            KILL
        }
        M(4)
        r ^= 3u;
    }
    ENDFOR
    M(7)
    r += SELECT(0, r > 4u, r, id);
    if ((IN(2) & 1u) == 0u) {
        M(8)
        r += 2u;
    }
    M(9)
    r += 1u;
END

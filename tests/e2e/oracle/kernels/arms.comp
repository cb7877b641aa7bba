/* Large arms of selections: scopes of their own (compiler/instrument/code/structure.h). A chain of else-ifs, an arm in an
 * arm, a loop in an arm. Some waves take one arm with all their lanes, others several. */
#define STEP(k, word, bit)                                                                                   \
    if (((IN(word) >> bit) & 1u) != 0u) {                                                                    \
        M(k)                                                                                                 \
        r += bit * 3u + 1u;                                                                                  \
    }                                                                                                        \
    r ^= bit;
#define STEPS(k, word)                                                                                       \
    STEP(k, word, 0u)                                                                                        \
    STEP(k + 1, word, 1u)                                                                                    \
    STEP(k + 2, word, 2u)                                                                                    \
    STEP(k + 3, word, 3u)                                                                                    \
    STEP(k + 4, word, 4u)                                                                                    \
    STEP(k + 5, word, 5u)                                                                                    \
    STEP(k + 6, word, 6u)                                                                                    \
    STEP(k + 7, word, 7u)                                                                                    \
    STEP(k + 8, word, 8u)                                                                                    \
    STEP(k + 9, word, 9u)                                                                                    \
    STEP(k + 10, word, 10u)                                                                                  \
    STEP(k + 11, word, 11u)
KERNEL(arms)
    uint way = (((id / 64u) & 1u) * IN(0) + id / 32u) % 4u;
    if (way == 0u) {
        M(1)
        r += 3u;
        STEPS(2, 0)
    } else {
        M(14)
        r += 1u;
        if (way == 1u) {
            M(15)
            r += 2u;
            FOR(16, uint i = 0u, i < ((IN(1) >> 12u) & 3u), 30, i++)
            {
                M(17)
                r += i;
                STEPS(18, 1)
            }
            ENDFOR
            M(31)
            r += 5u;
        } else {
            M(32)
            r += 6u;
            STEPS(33, 2)
            if (((IN(3) >> 12u) & 3u) == way) {
                M(45)
                r += 7u;
                STEPS(46, 3)
            }
            M(58)
            r += 9u;
        }
        M(59)
        r += 10u;
    }
    M(60)
    r += 2u;
END

/* Arithmetic that several rooms need, each once. Owns nothing. Threads: plain functions. */
#ifndef WPG_RUNTIME_BASE_ARITHMETIC_H
#define WPG_RUNTIME_BASE_ARITHMETIC_H

#include <stdint.h>

/* The sum of two counts; UINT64_MAX if it does not fit. */
static inline uint64_t wpg_add_saturating(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* The product of two counts; UINT64_MAX if it does not fit. */
static inline uint64_t wpg_multiply_saturating(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

/* splitmix64's finaliser: every bit of the result depends on every bit of x. Source: Steele, Lea, Flood,
 * "Fast splittable pseudorandom number generators" (OOPSLA 2014). */
static inline uint64_t wpg_mix64(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* The next number of splitmix64; the same source. */
static inline uint64_t wpg_next_random(uint64_t *state)
{
    return wpg_mix64(*state += UINT64_C(0x9e3779b97f4a7c15));
}

#endif

/* Byte reader and writer: what is written is read, and every overrun is seen once and for all. */
#include "runtime/base/bytes.h"
#include "tests/unit/runtime/base/base_test.h"

static void there_and_back(void **state)
{
    (void)state;
    wpg_writer w = {0};
    wpg_write_u8(&w, 0xab);
    wpg_write_u32(&w, 0x01020304);
    wpg_write_u64(&w, UINT64_C(0x1112131415161718));
    wpg_write_align(&w, 8);
    size_t at = w.size;
    wpg_write_u64(&w, 0);
    wpg_write_text(&w, "%s-%d", "text", 42);
    wpg_write_bytes(&w, "\0\1", 2);
    wpg_write_u64_at(&w, at, UINT64_C(0xfedcba9876543210));
    wpg_write_u64_at(&w, w.size - 7, 1); /* out of range: ignored */
    wpg_write_u64_at(&w, SIZE_MAX - 3, 1);
    assert_false(w.out_of_memory);
    assert_int_equal(at, 16);
    assert_int_equal(w.size, 16 + 8 + 7 + 2);
    assert_int_equal(w.data[1], 0x04); /* little-endian */

    wpg_reader r = wpg_reader_over(w.data, w.size);
    assert_int_equal(wpg_read_u8(&r), 0xab);
    assert_int_equal(wpg_read_u32(&r), 0x01020304);
    assert_true(wpg_read_u64(&r) == UINT64_C(0x1112131415161718));
    assert_memory_equal(wpg_read_bytes(&r, 3), "\0\0\0", 3);
    assert_true(wpg_read_u64(&r) == UINT64_C(0xfedcba9876543210));
    assert_memory_equal(wpg_read_bytes(&r, 9), "text-42\0\1", 9);
    assert_false(r.overrun);
    assert_non_null(wpg_read_bytes(&r, 0)); /* nothing, at the end */
    wpg_writer_finish(&w);
    assert_null(w.data);
}

static void long_text_and_growth(void **state)
{
    (void)state;
    wpg_writer w = {0};
    char text[1000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    for (unsigned i = 0; i < 100; i++)
        wpg_write_text(&w, "%s", text);
    assert_int_equal(w.size, 100 * (sizeof text - 1));
    for (size_t i = 0; i < w.size; i++)
        assert_int_equal(w.data[i], 'x');
    wpg_write_bytes(&w, text, SIZE_MAX / 2); /* refused before it is read */
    assert_true(w.out_of_memory);
    size_t size = w.size;
    wpg_write_u8(&w, 1); /* sticky */
    assert_int_equal(w.size, size);
    wpg_writer_finish(&w);
}

static void overruns_stick(void **state)
{
    (void)state;
    const uint8_t bytes[7] = {1, 2, 3, 4, 5, 6, 7};
    wpg_reader r = wpg_reader_over(bytes, sizeof bytes);
    assert_int_equal(wpg_read_u64(&r), 0);
    assert_true(r.overrun);
    assert_int_equal(wpg_read_u8(&r), 0); /* though there is one */
    assert_null(wpg_read_bytes(&r, 0));
    r = wpg_reader_over(bytes, sizeof bytes);
    assert_null(wpg_read_bytes(&r, SIZE_MAX));
    assert_true(r.overrun);
    r = wpg_reader_over(bytes, sizeof bytes);
    wpg_read_seek(&r, 7);
    assert_false(r.overrun);
    wpg_read_seek(&r, 3);
    assert_int_equal(wpg_read_u32(&r), 0x07060504);
    wpg_read_seek(&r, 8);
    assert_true(r.overrun);
    r = wpg_reader_over(NULL, 0);
    assert_int_equal(wpg_read_u8(&r), 0);
    assert_true(r.overrun);
}

static void leb128(void **state)
{
    (void)state;
    const uint64_t values[] = {0, 1, 127, 128, 300, 16383, 16384, UINT32_MAX, UINT64_MAX - 1, UINT64_MAX};
    wpg_writer w = {0};
    for (size_t i = 0; i < 10; i++)
        wpg_write_uleb(&w, values[i]);
    wpg_reader r = wpg_reader_over(w.data, w.size);
    for (size_t i = 0; i < 10; i++)
        assert_true(wpg_read_uleb(&r) == values[i]);
    assert_false(r.overrun);
    assert_int_equal(r.at, w.size);
    wpg_writer_finish(&w);

    const uint8_t two_in_bit_64[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02};
    const uint8_t eleven[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00};
    const uint8_t cut[] = {0x80, 0x80};
    const struct {
        const uint8_t *data;
        size_t size;
    } bad[] = {{two_in_bit_64, sizeof two_in_bit_64}, {eleven, sizeof eleven}, {cut, sizeof cut}};
    for (size_t i = 0; i < 3; i++) {
        r = wpg_reader_over(bad[i].data, bad[i].size);
        assert_true(wpg_read_uleb(&r) == 0);
        assert_true(r.overrun);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_and_back),
        cmocka_unit_test(long_text_and_growth),
        cmocka_unit_test(overruns_stick),
        cmocka_unit_test(leb128),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

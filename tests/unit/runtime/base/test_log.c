/* Messages that are logged once: the text up to the colon is the key. */
#include "tests/unit/runtime/base/base_test.h"

#include "runtime/base/log.h"

static void once_for_each_beginning(void **state)
{
    (void)state;
    char text[32];
    assert_true(wpg_log_is_first("no queue: of device 1"));
    assert_false(wpg_log_is_first("no queue: of device 2"));
    assert_false(wpg_log_is_first("no queue"));
    assert_true(wpg_log_is_first("no memory: of device 1"));
    for (int i = 2; i < 16; i++) {
        (void)snprintf(text, sizeof text, "reason %d: of a device", i);
        assert_true(wpg_log_is_first(text));
        assert_false(wpg_log_is_first(text));
    }
    assert_false(wpg_log_is_first("one too many: of a device"));
    assert_false(wpg_log_is_first("no queue: of device 3"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(once_for_each_beginning)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

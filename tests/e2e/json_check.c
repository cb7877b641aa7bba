/* Is a file JSON, and does it hold what it should?
 *
 *     e2e_json FILE [PATH | PATH=VALUE | PATH#COUNT]...
 *
 * PATH is keys and array indices separated by dots; `*` stands for every element of an array. PATH must exist
 * (and not be null); with =VALUE it must be that string, number, true or false; with #COUNT an array or
 * object of at least so many elements. A file of several lines is one document. Exit code 0, or 1 after a
 * line per complaint. */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has_value(const json_t *value, const char *text)
{
    if (json_is_string(value))
        return strcmp(json_string_value(value), text) == 0;
    if (json_is_boolean(value))
        return strcmp(json_is_true(value) ? "true" : "false", text) == 0;
    return json_is_number(value) && json_number_value(value) == strtod(text, NULL);
}

static bool fulfils(const json_t *value, char operation, const char *operand)
{
    if (!value || json_is_null(value))
        return false;
    if (operation == '=')
        return has_value(value, operand);
    size_t size = json_is_array(value) ? json_array_size(value) : json_object_size(value);
    return operation != '#' || size >= strtoul(operand, NULL, 10);
}

/* `path` is what is left of it. */
static bool check(const json_t *value, const char *path, char operation, const char *operand)
{
    char key[128];
    size_t length = strcspn(path, ".");
    if (!*path)
        return fulfils(value, operation, operand);
    if (length >= sizeof key)
        return false;
    memcpy(key, path, length);
    key[length] = 0;
    path += length + (path[length] == '.');
    if (!json_is_array(value))
        return check(json_object_get(value, key), path, operation, operand);
    if (strcmp(key, "*") != 0)
        return check(json_array_get(value, strtoul(key, NULL, 10)), path, operation, operand);
    for (size_t i = 0; i < json_array_size(value); i++)
        if (!check(json_array_get(value, i), path, operation, operand))
            return false;
    return true;
}

int main(int argc, char **argv)
{
    json_error_t error;
    int bad = 0;
    if (argc < 2) {
        fprintf(stderr, "usage: e2e_json FILE [PATH | PATH=VALUE | PATH#COUNT]...\n");
        return 2;
    }
    json_t *root = json_load_file(argv[1], JSON_REJECT_DUPLICATES, &error);
    if (!root) {
        printf("%s:%d: %s\n", argv[1], error.line, error.text);
        return 1;
    }
    for (int i = 2; i < argc; i++) {
        size_t length = strcspn(argv[i], "=#");
        char operation = argv[i][length], *operand = argv[i] + length + (operation != 0);
        argv[i][length] = 0;
        if (!check(root, argv[i], operation, operand)) {
            printf("%s: no %s%c%s\n", argv[1], argv[i], operation ? operation : ' ', operand);
            bad = 1;
        }
    }
    json_decref(root);
    return bad;
}

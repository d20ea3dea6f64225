/* A complete arena bot without libraries: it plays every game by answering the sample move.
 *
 *     cc -O2 -o bot bot.c
 *
 * To play better, read the position from the "state" field and print a move of your own.
 */
#define _POSIX_C_SOURCE 200809L /* getline */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A part of the line: the text of one JSON value. */
struct text {
    const char *start;
    int length;
};

static const char *skip_space(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

/* The end of the JSON value that begins at `at`. */
static const char *skip_value(const char *at)
{
    int depth = 0, in_string = 0;
    for (; *at; at++) {
        if (in_string) {
            if (*at == '\\' && at[1])
                at++; /* an escaped character, perhaps a quote */
            else if (*at == '"')
                in_string = 0;
        } else if (depth == 0 && strchr(" \t\r\n:,}]", *at)) {
            break; /* belongs to the object around the value */
        } else if (*at == '"') {
            in_string = 1;
        } else if (*at == '{' || *at == '[') {
            depth++;
        } else if (*at == '}' || *at == ']') {
            depth--;
        }
    }
    return at;
}

/* The value of field `name` of the object in `line`; length 0 if it has none. Fields of inner objects do not count, but
 * `field(state.start, "board")` reads them. Relies on names without escapes. */
static struct text field(const char *line, const char *name)
{
    size_t name_length = strlen(name);
    const char *at = skip_space(line);
    while (*at == '{' || *at == ',') {
        const char *key = skip_space(at + 1);
        const char *colon = skip_space(skip_value(key));
        if (*key != '"' || *colon != ':')
            break;
        const char *value = skip_space(colon + 1), *end = skip_value(value);
        if (strncmp(key + 1, name, name_length) == 0 && key[name_length + 1] == '"')
            return (struct text){value, (int)(end - value)};
        at = skip_space(end);
    }
    return (struct text){line, 0};
}

static int is(struct text value, const char *expected)
{
    return (size_t)value.length == strlen(expected) && strncmp(value.start, expected, value.length) == 0;
}

int main(void)
{
    char *line = NULL; /* grown by getline as needed */
    size_t capacity = 0;

    while (getline(&line, &capacity, stdin) > 0) {
        struct text type = field(line, "type"), id = field(line, "id");

        if (is(type, "\"hello\"")) {
            puts("{\"type\":\"hello\",\"protocol\":1,\"name\":\"c starter\"}");
        } else if (is(type, "\"new_game\"")) {
            printf("{\"type\":\"ready\",\"id\":%.*s}\n", id.length, id.start);
        } else if (is(type, "\"move_request\"")) {
            struct text move = field(line, "sample_move"); /* <- your idea goes here */
            printf("{\"type\":\"move\",\"id\":%.*s,\"move\":%.*s}\n", id.length, id.start, move.length, move.start);
        } else if (is(type, "\"quit\"")) {
            break;
        } /* else: "game_over", or a type of a later protocol version; no answer */
        fflush(stdout); /* without it the reply may wait in a buffer */
    }
    free(line);
    return 0;
}

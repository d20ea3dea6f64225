/* Connect four as a program of rules, without libraries.
 *
 *     cc -O2 -o four four.c
 *
 * It reads hello, start and apply, answers each with one line, and ignores what it does not know. A request that it
 * cannot read ends it with a message on stderr: the arena then says that the rules are at fault, and shows the message.
 */
#define _POSIX_C_SOURCE 200809L /* getline */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE_MAX = 32 };

static const char HELLO[] =
    "{\"type\":\"hello\",\"protocol\":1,\"game\":\"four\",\"version\":1,"
    "\"summary\":\"drop discs into columns; four or more in a row win\",\"opening_plies\":4,\"params\":["
    "{\"name\":\"rows\",\"help\":\"height of the board\",\"default\":6,\"min\":1,\"max\":32},"
    "{\"name\":\"cols\",\"help\":\"width of the board\",\"default\":7,\"min\":1,\"max\":32},"
    "{\"name\":\"connect\",\"help\":\"discs in a row to win\",\"default\":4,\"min\":2,\"max\":32}]}";

/* ---- reading a request ---- */

static void fail(const char *what, const char *line)
{
    fprintf(stderr, "four: %s in the request %.200s\n", what, line);
    exit(1);
}

static const char *skip_space(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

/* The end of the string whose opening quote is at `at`, or NULL if it has none. */
static const char *skip_string(const char *at)
{
    for (at++; *at && *at != '"'; at++)
        if (*at == '\\' && at[1])
            at++; /* an escaped character, perhaps a quote */
    return *at ? at + 1 : NULL;
}

/* The end of the JSON value at `at`, or NULL if it is cut off. */
static const char *skip_value(const char *at)
{
    int depth = 0;
    while (*at) {
        if (*at == '"') {
            at = skip_string(at);
            if (!at)
                return NULL;
            continue;
        }
        if (*at == '{' || *at == '[') {
            depth++;
        } else if (*at == '}' || *at == ']' || *at == ',') {
            if (depth == 0)
                return at; /* belongs to the object around the value */
            if (*at != ',')
                depth--;
        }
        at++;
    }
    return NULL;
}

/* The value of field `name` of the object at `object`, or NULL. Fields of inner objects do not count. */
static const char *field(const char *object, const char *name)
{
    size_t length = strlen(name);
    const char *at = skip_space(object);
    if (*at != '{')
        return NULL;
    do {
        const char *key = skip_space(at + 1), *after;
        if (*key != '"' || !(after = skip_string(key)))
            return NULL;
        at = skip_space(after);
        if (*at != ':')
            return NULL;
        at = skip_space(at + 1);
        if ((size_t)(after - key) == length + 2 && memcmp(key + 1, name, length) == 0)
            return at;
        at = skip_value(at);
    } while (at && *at == ',');
    return NULL;
}

/* The integer at `value`, which must lie between `min` and `max`. */
static long integer(const char *value, long min, long max, const char *what, const char *line)
{
    char *end;
    if (!value || !strchr("-0123456789", *value))
        fail(what, line);
    errno = 0;
    long number = strtol(value, &end, 10);
    if (end == value || errno || number < min || number > max || !strchr(" \t\r\n,]}", *end))
        fail(what, line);
    return number;
}

static int is(const char *value, const char *word)
{
    size_t length = strlen(word);
    return value && *value == '"' && strncmp(value + 1, word, length) == 0 && value[length + 1] == '"';
}

/* ---- the game ---- */

static int rows, cols, needed;
static char board[SIDE_MAX][SIDE_MAX]; /* row 0 on top; '.', 'X' of seat 0 or 'O' of seat 1 */
static int moves[SIDE_MAX * SIDE_MAX], played;
static int won; /* whether the last move completed a line */

static void start(void)
{
    memset(board, '.', sizeof board);
    played = won = 0;
}

/* Number of discs like `mark` that follow the cell in this direction. */
static int run(int row, int col, int down, int right, char mark)
{
    int length = 0;
    for (row += down, col += right; row >= 0 && row < rows && col >= 0 && col < cols && board[row][col] == mark;
         row += down, col += right)
        length++;
    return length;
}

/* Drops a disc into a column that has room. */
static void drop(int col)
{
    static const int directions[4][2] = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};
    char mark = played % 2 == 0 ? 'X' : 'O';
    int row = rows - 1;
    while (board[row][col] != '.')
        row--;
    board[row][col] = mark;
    moves[played++] = col;
    for (int d = 0; d < 4; d++) {
        int down = directions[d][0], right = directions[d][1];
        won |= 1 + run(row, col, down, right, mark) + run(row, col, -down, -right, mark) >= needed;
    }
}

/* ---- answers ---- */

static void print_position(long id)
{
    const char *comma = "";
    printf("{\"type\":\"position\",\"id\":%ld,\"to_move\":%d,\"legal_moves\":[", id, played % 2);
    for (int col = 0; col < cols; col++)
        if (board[0][col] == '.') {
            printf("%s%d", comma, col);
            comma = ",";
        }
    printf("],\"view\":{\"board\":[");
    for (int row = 0; row < rows; row++)
        printf("%s\"%.*s\"", row ? "," : "", cols, board[row]);
    printf("],\"moves\":[");
    for (int i = 0; i < played; i++)
        printf("%s%d", i ? "," : "", moves[i]);
    printf("]}}\n");
}

static void answer(long id)
{
    if (won)
        printf("{\"type\":\"over\",\"id\":%ld,\"winner\":%d,\"reason\":\"line\"}\n", id, (played - 1) % 2);
    else if (played == rows * cols)
        printf("{\"type\":\"over\",\"id\":%ld,\"winner\":null,\"reason\":\"board_full\"}\n", id);
    else
        print_position(id);
}

int main(void)
{
    char *line = NULL; /* grown by getline as needed */
    size_t capacity = 0;
    const long ids = 1L << 30;

    while (getline(&line, &capacity, stdin) > 0) {
        const char *type = field(line, "type");
        if (!type)
            fail("no type", line);
        if (is(type, "hello")) {
            puts(HELLO);
        } else if (is(type, "start")) {
            const char *params = field(line, "params");
            long id = integer(field(line, "id"), 0, ids, "no id", line);
            if (!params)
                fail("no params", line);
            rows = (int)integer(field(params, "rows"), 1, SIDE_MAX, "no valid rows", line);
            cols = (int)integer(field(params, "cols"), 1, SIDE_MAX, "no valid cols", line);
            needed = (int)integer(field(params, "connect"), 2, SIDE_MAX, "no valid connect", line);
            start();
            if (needed > rows && needed > cols)
                printf("{\"type\":\"refused\",\"id\":%ld,\"message\":\"%d in a row does not fit on %d rows and %d "
                       "columns; at most %d fit\"}\n", id, needed, rows, cols, rows > cols ? rows : cols);
            else
                answer(id);
        } else if (is(type, "apply")) {
            long id = integer(field(line, "id"), 0, ids, "no id", line);
            long col = integer(field(line, "move"), 0, cols - 1, "no column", line);
            if (won || board[0][col] != '.')
                fail("a move that was not listed", line);
            drop((int)col);
            answer(id);
        } else if (is(type, "quit")) {
            break;
        } /* else: a message of a later version, without an answer */
        fflush(stdout); /* without it the answer may wait in a buffer */
    }
    free(line);
    return 0;
}

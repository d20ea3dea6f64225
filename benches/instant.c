/* The fastest bot that keeps the protocol: answers the sample move at once. Benchmarks of the referee play it, so that
 * what they measure is the referee and two pipes, not a bot.
 *
 *     cc -O2 -o instant instant.c
 *
 * It knows more than a bot should: that the referee writes `type` first, `id` second, `sample_move` last but for the
 * `clock`, and no spaces. Those who want to write a bot should copy bots/starters/c/bot.c instead.
 */
#define _GNU_SOURCE /* memmem */
#include <string.h>
#include <unistd.h>

/* A request of a game with very many moves is long; the pages of this buffer cost nothing until they are touched. */
static char buffer[32 << 20];
static char reply[4096];

#define LITERAL(text) (text), sizeof(text) - 1
#define TAIL_BYTES 512 /* more than `sample_move` and `clock` take together */

static char *append(char *to, const char *from, size_t length)
{
    memcpy(to, from, length);
    return to + length;
}

/* Appends the digits at `from`. */
static char *append_id(char *to, const char *from)
{
    while (*from >= '0' && *from <= '9')
        *to++ = *from++;
    return to;
}

/* Appends the move at `from`: an integer or a flat list, followed by a comma. */
static char *append_move(char *to, const char *from)
{
    const char *end = memchr(from, *from == '[' ? ']' : ',', 256);
    return end ? append(to, from, (size_t)(end - from) + (*from == '[')) : to;
}

/* Answers the line from `line` up to its newline at `end`; 0 once it is time to leave. */
static int answer(const char *line, const char *end)
{
    static const char type[] = "{\"type\":\"";
    char *to = reply;

    if ((size_t)(end - line) < sizeof(type))
        return 1;
    switch (line[sizeof(type) - 1]) {
    case 'h': /* hello */
        to = append(to, LITERAL("{\"type\":\"hello\",\"protocol\":1,\"name\":\"instant\"}"));
        break;
    case 'n': /* new_game */
        to = append(to, LITERAL("{\"type\":\"ready\",\"id\":"));
        to = append_id(to, line + sizeof("{\"type\":\"new_game\",\"id\":") - 1);
        *to++ = '}';
        break;
    case 'm': { /* move_request */
        const char *tail = end - line > TAIL_BYTES ? end - TAIL_BYTES : line;
        const char *move = memmem(tail, (size_t)(end - tail), LITERAL("],\"sample_move\":"));
        if (!move) /* no list of legal moves before it */
            move = memmem(tail, (size_t)(end - tail), LITERAL("},\"sample_move\":"));
        if (!move)
            return 0;
        to = append(to, LITERAL("{\"type\":\"move\",\"id\":"));
        to = append_id(to, line + sizeof("{\"type\":\"move_request\",\"id\":") - 1);
        to = append(to, LITERAL(",\"move\":"));
        to = append_move(to, move + sizeof("],\"sample_move\":") - 1);
        *to++ = '}';
        break;
    }
    case 'q': /* quit */
        return 0;
    default: /* game_over, and types of later protocol versions */
        return 1;
    }
    *to++ = '\n';
    return write(STDOUT_FILENO, reply, (size_t)(to - reply)) == to - reply;
}

int main(void)
{
    size_t start = 0, filled = 0;

    for (;;) {
        ssize_t got = read(STDIN_FILENO, buffer + filled, sizeof(buffer) - filled);
        char *end;
        size_t scanned = filled;
        if (got <= 0)
            return 0;
        filled += (size_t)got;
        while ((end = memchr(buffer + scanned, '\n', filled - scanned))) {
            if (!answer(buffer + start, end))
                return 0;
            start = scanned = (size_t)(end + 1 - buffer);
        }
        /* Usually everything is read; else the beginning of the next line moves to the front. */
        memmove(buffer, buffer + start, filled - start);
        filled -= start;
        start = 0;
    }
}

/* A bot that plays the sample move and reserves memory as runtimes do: reserves MODE[=MIB]

   stacks     much at its start, and for each move threads whose stacks are never given back; silent once it cannot have one
   each=MIB   so much before each game, whose first move takes a while
   fill       at its first move, until nothing more is granted; then it is silent
   hold=MIB   uses so much at its first move; then it is silent
   use=MIB    uses so much at its first move, and plays on
   search=MIB uses so much at its first move; then it computes and does not answer
   freed=MIB  uses so much during its first move; it is silent at its third
   threads=N  has so many more threads from its first move on; then it is silent
   abort=N    the same; then it is ended by a signal
   files      opens files at its first move, until it is refused one; then it is silent */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)

static void *reserve(size_t mib) {
    void *at = mmap(NULL, mib * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

static void silent(void) {
    for (;;) pause();
}

static void *use(size_t mib) {
    char *at = reserve(mib);
    for (size_t byte = 0; at && byte < mib * MIB; byte += 4096) at[byte] = 1;
    return at;
}

/* What its guard, which looks ten times a second, has seen then. */
static void show(void) {
    usleep(300000);
}

static void *rest(void *nothing) {
    silent();
    return nothing;
}

static void start(size_t threads) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, MIB / 4);
    while (threads-- > 0) pthread_create(&thread, &attributes, rest, NULL);
}

static void *search(void *done) {
    write(*(int *)done, "x", 1);
    return NULL;
}

/* Threads that are neither joined nor detached keep their stacks. */
static void search_in_threads(void) {
    int ends[2];
    char word;
    pthread_attr_t attributes;
    if (pipe(ends)) silent();
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 64 * MIB);
    for (int number = 0; number < 4; number++) {
        pthread_t thread;
        if (pthread_create(&thread, &attributes, search, &ends[1])) silent();
        if (read(ends[0], &word, 1) != 1) silent();
    }
    close(ends[0]);
    close(ends[1]);
}

int main(int count, char **words) {
    static char line[1 << 16];
    const char *mode = count > 1 ? words[1] : "";
    const char *value = strchr(mode, '=');
    size_t amount = value ? strtoul(value + 1, NULL, 10) : 0;
    int asked = 0, is_first = 1;
    if (!strcmp(mode, "stacks") && !reserve(8192)) silent();
    while (fgets(line, sizeof line, stdin)) {
        const char *id = strstr(line, "\"id\":");
        const char *move = strstr(line, "\"sample_move\":");
        if (strstr(line, "\"type\":\"hello\"")) {
            puts("{\"type\":\"hello\",\"protocol\":1}");
        } else if (strstr(line, "\"type\":\"new_game\"")) {
            if (!strncmp(mode, "each=", 5) && !reserve(amount)) silent();
            is_first = 1;
            printf("{\"type\":\"ready\",\"id\":%s}\n", strtok(strdup(id + 5), ",}"));
        } else if (strstr(line, "\"type\":\"move_request\"")) {
            if (!strcmp(mode, "stacks")) search_in_threads();
            if (!strncmp(mode, "each=", 5) && is_first) usleep(150000);
            is_first = 0;
            if (!asked++) {
                if (!strcmp(mode, "fill")) {
                    while (reserve(1)) {}
                    silent();
                }
                if (!strcmp(mode, "files")) {
                    while (open("/dev/null", O_RDONLY) >= 0) {}
                    silent();
                }
                if (!strncmp(mode, "hold=", 5) || !strncmp(mode, "use=", 4) || !strncmp(mode, "search=", 7)) use(amount);
                if (!strncmp(mode, "threads=", 8) || !strncmp(mode, "abort=", 6)) start(amount);
                if (!strncmp(mode, "freed=", 6)) {
                    void *at = use(amount);
                    show();
                    munmap(at, amount * MIB);
                }
                if (!strncmp(mode, "abort=", 6)) {
                    for (int time = 0; time < 3; time++) show();
                    abort();
                }
                if (!strncmp(mode, "hold=", 5) || !strncmp(mode, "threads=", 8)) silent();
                while (!strncmp(mode, "search=", 7)) {}
            }
            if (!strncmp(mode, "freed=", 6) && asked == 3) silent();
            char *shown = strdup(move + 14);
            *strstr(shown, ",\"clock\"") = 0;
            printf("{\"type\":\"move\",\"id\":%s,\"move\":%s}\n", strtok(strdup(id + 5), ",}"), shown);
        }
        fflush(stdout);
    }
}

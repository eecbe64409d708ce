// SPDX-License-Identifier: Apache-2.0
//
// The floor: the least that a C program can do to answer GET requests on one thread with epoll. It splits each head
// into request line and fields, honours keep-alive, answers every request of a read in one write, and knows nothing
// else: no limits, no deadlines, no partial heads, no partial writes. What a real server costs is measured against it.
//
//   gcc -O2 -march=native -o floor floor.c && ./floor PORT
#define _GNU_SOURCE
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { INPUT = 16384, OUTPUT = 65536, EVENTS = 1024, ACCEPTS = 64 };

static char answer[256];
static size_t answer_length;

/** Renders the answer anew when the second has changed. */
static void tick(void) {
    static time_t rendered;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    if (now.tv_sec == rendered) return;
    rendered = now.tv_sec;
    struct tm utc;
    char date[40];
    gmtime_r(&now.tv_sec, &utc);
    strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", &utc);
    answer_length = (size_t) snprintf(answer, sizeof answer,
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 13\r\n"
        "Date: %s\r\nServer: Floor\r\n\r\nHello, World!", date);
}

/** Reads one head from `at`; answers where it ends, or NULL when it is not complete. */
static char *head(char *at, char *end, int *keep) {
    char *method_end = memchr(at, ' ', (size_t) (end - at));
    if (!method_end) return NULL;
    char *target_end = memchr(method_end + 1, ' ', (size_t) (end - method_end - 1));
    if (!target_end) return NULL;
    char *line_end = memchr(target_end + 1, '\n', (size_t) (end - target_end - 1));
    if (!line_end) return NULL;
    *keep = line_end[-2] == '1';
    for (at = line_end + 1; at < end; at = line_end + 1) {
        if (*at == '\r') return at + 1 < end ? at + 2 : NULL;
        char *colon = memchr(at, ':', (size_t) (end - at));
        if (!colon) return NULL;
        line_end = memchr(colon, '\n', (size_t) (end - colon));
        if (!line_end) return NULL;
        if (colon - at == 10 && !strncasecmp(at, "connection", 10)) *keep = (colon[2] | 32) == 'k';
    }
    return NULL;
}

static void serve(int socket) {
    static char input[INPUT], output[OUTPUT];
    ssize_t got = read(socket, input, sizeof input);
    if (got <= 0) {
        close(socket);
        return;
    }
    int keep = 1;
    size_t filled = 0;
    for (char *at = input; at && at < input + got && filled + answer_length < sizeof output;) {
        at = head(at, input + got, &keep);
        if (at) {
            memcpy(output + filled, answer, answer_length);
            filled += answer_length;
        }
    }
    if (filled && write(socket, output, filled) < 0) keep = 0;
    if (!keep) close(socket);
}

int main(int count, char **arguments) {
    int one = 1, port = count > 1 ? atoi(arguments[1]) : 8080;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    setsockopt(listener, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((in_port_t) port)};
    if (bind(listener, (void *) &address, sizeof address) || listen(listener, 4096)) {
        perror("floor");
        return 1;
    }
    int poll = epoll_create1(0);
    struct epoll_event events[EVENTS], wanted = {.events = EPOLLIN, .data.fd = listener};
    epoll_ctl(poll, EPOLL_CTL_ADD, listener, &wanted);
    for (;;) {
        int ready = epoll_wait(poll, events, EVENTS, -1);
        tick();
        for (int i = 0; i < ready; i++) {
            if (events[i].data.fd != listener) {
                serve(events[i].data.fd);
                continue;
            }
            for (int n = 0; n < ACCEPTS; n++) {
                int socket = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
                if (socket < 0) break;
                wanted.events = EPOLLIN | EPOLLRDHUP;
                wanted.data.fd = socket;
                epoll_ctl(poll, EPOLL_CTL_ADD, socket, &wanted);
            }
        }
    }
}

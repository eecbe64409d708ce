// SPDX-License-Identifier: Apache-2.0
//
// The floor of a proxy: a relay of bytes, on one thread with epoll, that knows nothing of HTTP. Each client gets a connection to
// UPSTREAM of its own; bytes go from one to the other as they are. There are no limits, no timeouts and no half-closed
// connections. A proxy must also read and write headers, so the cost of a real one is measured against this.
//
// With `splice` the bytes of the upstream pass through a pipe and are never copied to user space, as in HAProxy's
// `option splice-response`.
//
//   gcc -O2 -march=native -o relay relay.c && UPSTREAM=127.0.0.1:8081 ./relay PORT [splice]
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BUFFER = 65536, PIPE = 1 << 20, EVENTS = 1024 };

/** One side of a relayed pair. `pipe` and `piped` are used for what this side has received. */
struct side {
    int socket;
    struct side *other;
    struct side *next_closed;
    int pipe[2];
    size_t piped;
    char *kept; // what the other side has not taken yet
    size_t kept_length;
    uint32_t events; // that epoll reports
    bool watched, closed;
};

static int poll;
static bool by_splice;
static struct sockaddr_in upstream;
static char buffer[BUFFER];
static struct side *closed;

static void die(const char *what) {
    perror(what);
    exit(1);
}

static void watch(struct side *side, uint32_t events) {
    if (events == side->events) return;
    struct epoll_event event = {.events = events, .data.ptr = side};
    if (epoll_ctl(poll, side->watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, side->socket, &event) != 0) die("epoll_ctl");
    side->events = events;
    side->watched = true;
}

/** Closes both; they are freed at the end of the turn, since events of this turn may still name them. */
static void close_pair(struct side *side) {
    if (side->closed) return;
    for (int i = 0; i < 2; i++, side = side->other) {
        close(side->socket);
        if (side->pipe[0] >= 0) close(side->pipe[0]), close(side->pipe[1]);
        side->closed = true;
        side->next_closed = closed;
        closed = side;
    }
}

/** Whether the last call failed only because it would have had to wait. */
static bool would_wait(void) { return errno == EAGAIN || errno == EINTR; }

static bool has_rest(struct side *from) { return from->piped > 0 || from->kept_length > 0; }

/** Sends what is left of `from` to the other side, and reads no more from it before that is done; false when it closed the pair. */
static bool drain(struct side *from) {
    struct side *to = from->other;
    while (from->piped > 0) {
        ssize_t sent = splice(from->pipe[0], NULL, to->socket, NULL, from->piped, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
        if (sent < 0 && would_wait()) break;
        if (sent <= 0) return close_pair(from), false;
        from->piped -= (size_t) sent;
    }
    while (from->kept_length > 0) {
        ssize_t sent = send(to->socket, from->kept, from->kept_length, MSG_NOSIGNAL);
        if (sent < 0 && would_wait()) break;
        if (sent < 0) return close_pair(from), false;
        from->kept_length -= (size_t) sent;
        memmove(from->kept, from->kept + sent, from->kept_length);
    }
    bool waits = has_rest(from);
    watch(to, waits ? to->events | EPOLLOUT : to->events & ~(uint32_t) EPOLLOUT);
    watch(from, waits ? from->events & ~(uint32_t) EPOLLIN : from->events | EPOLLIN);
    return true;
}

static void relay_by_splice(struct side *from) {
    ssize_t got = splice(from->socket, NULL, from->pipe[1], NULL, PIPE, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
    if (got < 0 && would_wait()) return;
    if (got <= 0) return close_pair(from);
    from->piped += (size_t) got;
    drain(from);
}

/** Passes on what has come, until a read was short: then nothing more is there. */
static void relay_by_copy(struct side *from) {
    for (;;) {
        ssize_t got = recv(from->socket, buffer, BUFFER, 0);
        if (got < 0 && would_wait()) return;
        if (got <= 0) return close_pair(from);
        ssize_t sent = send(from->other->socket, buffer, (size_t) got, MSG_NOSIGNAL);
        if (sent < 0 && !would_wait()) return close_pair(from);
        if (sent < 0) sent = 0;
        if (sent < got) {
            if (!from->kept && !(from->kept = malloc(BUFFER))) die("malloc");
            from->kept_length = (size_t) (got - sent);
            memcpy(from->kept, buffer + sent, from->kept_length);
            drain(from);
            return;
        }
        if (got < BUFFER) return;
    }
}

static void relay(struct side *from) {
    if (has_rest(from)) return;
    if (from->pipe[0] >= 0) relay_by_splice(from);
    else relay_by_copy(from);
}

static struct side *side_of(int socket) {
    struct side *side = calloc(1, sizeof *side);
    if (!side) die("calloc");
    side->socket = socket;
    side->pipe[0] = side->pipe[1] = -1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &(int) {1}, sizeof(int));
    return side;
}

static void accept_one(int listener) {
    int accepted = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
    if (accepted < 0) return;
    int connected = socket(AF_INET, SOCK_STREAM, 0);
    if (connected < 0 || connect(connected, (struct sockaddr *) &upstream, sizeof upstream) != 0) die("upstream");
    fcntl(connected, F_SETFL, O_NONBLOCK);
    struct side *client = side_of(accepted), *server = side_of(connected);
    client->other = server;
    server->other = client;
    if (by_splice && (pipe2(server->pipe, O_NONBLOCK) != 0 || fcntl(server->pipe[1], F_SETPIPE_SZ, PIPE) < 0)) die("pipe");
    watch(client, EPOLLIN);
    watch(server, EPOLLIN);
}

static int listen_on(int port) {
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t) port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &(int) {1}, sizeof(int));
    if (bind(listener, (struct sockaddr *) &at, sizeof at) != 0 || listen(listener, 4096) != 0) die("listen");
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    if (epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event) != 0) die("epoll_ctl");
    return listener;
}

int main(int count, char **arguments) {
    char *at = getenv("UPSTREAM"), *colon = at ? strchr(at, ':') : NULL;
    if (count < 2 || !colon) {
        fprintf(stderr, "usage: UPSTREAM=ADDRESS:PORT relay PORT [splice]\n");
        return 2;
    }
    *colon = 0;
    upstream = (struct sockaddr_in) {.sin_family = AF_INET, .sin_port = htons((uint16_t) atoi(colon + 1))};
    if (inet_pton(AF_INET, at, &upstream.sin_addr) != 1) die("UPSTREAM");
    by_splice = count > 2 && strcmp(arguments[2], "splice") == 0;
    poll = epoll_create1(0);
    int listener = listen_on(atoi(arguments[1]));

    static struct epoll_event events[EVENTS];
    for (;;) {
        int ready = epoll_wait(poll, events, EVENTS, -1);
        for (int i = 0; i < ready; i++) {
            struct side *side = events[i].data.ptr;
            if (!side) {
                accept_one(listener);
                continue;
            }
            if (!side->closed && events[i].events & EPOLLOUT) drain(side->other);
            if (!side->closed && events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) relay(side);
        }
        while (closed) {
            struct side *next = closed->next_closed;
            free(closed->kept);
            free(closed);
            closed = next;
        }
    }
}

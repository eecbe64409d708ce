// SPDX-License-Identifier: Apache-2.0
//
// The floor: the least that a C program can do to respond to GET requests on one thread with epoll. It splits each
// header section into request line and fields, honours `Connection: close`, answers every request of a read in one write,
// and knows nothing else: no limits, no timeouts, no partial headers, no keep-alive for HTTP/1.0. The cost of a real server
// is measured against it.
//
// Files are read into memory at the start and written from there with their headers in one writev. With `sendfile` they stay
// open instead, and each response is send(MSG_MORE) for the headers and sendfile(2) for the body.
//
//   gcc -O2 -march=native -o floor floor.c && ./floor PORT [FILES [sendfile]]
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { INPUT = 16384, OUTPUT = 65536, EVENTS = 1024, ACCEPTS = 64, SOCKETS = 65536 };

struct answer {
    char bytes[256];
    size_t length;
};

/**
 * A file of the folder. `path` ends with the blank that ends a target; `head` ends where the date begins. Its content is in
 * `bytes`, or in the open file `descriptor` where it is sent by sendfile.
 */
struct file {
    char path[300];
    struct answer head;
    char *bytes;
    int descriptor;
    size_t length;
};

/** Output: bytes, then the rest of a file from `at`, if there is one. */
struct output {
    char *bytes;
    size_t length;
    const struct file *file;
    off_t at;
};

/** Output that a socket has not taken yet, and input that was read but has no response yet. */
struct rest {
    struct output output;
    bool keep;
    char *at, *end;
    char kept[];
};

static int poll;
static struct answer hello, echo, three, missing, dated;
static struct file *files;
static size_t file_count;
static bool by_sendfile;
static struct rest *waiting[SOCKETS];

static void render(struct answer *answer, const char *status, const char *body) {
    answer->length = (size_t) snprintf(answer->bytes, sizeof answer->bytes,
        "HTTP/1.1 %s\r\nContent-Type: text/plain\r\nContent-Length: %zu\r\nServer: Floor\r\n%s%s",
        status, strlen(body), dated.bytes, body);
}

/** Renders the answers anew when the second has changed. */
static void tick(void) {
    static time_t rendered;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    if (now.tv_sec == rendered) return;
    rendered = now.tv_sec;
    struct tm utc;
    gmtime_r(&now.tv_sec, &utc);
    dated.length = strftime(dated.bytes, sizeof dated.bytes, "Date: %a, %d %b %Y %H:%M:%S GMT\r\n\r\n", &utc);
    render(&hello, "200 OK", "Hello, World!");
    render(&echo, "200 OK", "Hello from the echo");
    render(&three, "200 OK", "abc");
    render(&missing, "404 Not Found", "There is no such file.");
}

static const char *type(const char *name) {
    static const char *const types[][2] = {
        {".css", "text/css"}, {".html", "text/html"}, {".jpg", "image/jpeg"}, {".js", "text/javascript"},
        {".png", "image/png"}, {".svg", "image/svg+xml"}, {".txt", "text/plain"}};
    const char *ending = strrchr(name, '.');
    for (size_t i = 0; ending && i < sizeof types / sizeof types[0]; i++) {
        if (!strcmp(ending, types[i][0])) return types[i][1];
    }
    return "application/octet-stream";
}

/** Takes the files of a folder into memory, or opens them. */
static void load(const char *folder) {
    DIR *entries = opendir(folder);
    if (!entries || chdir(folder)) {
        perror(folder);
        exit(1);
    }
    for (struct dirent *entry; (entry = readdir(entries));) {
        struct stat status;
        int from;
        if (stat(entry->d_name, &status) || !S_ISREG(status.st_mode)) continue;
        if ((from = open(entry->d_name, O_RDONLY | O_CLOEXEC)) < 0) continue;
        files = realloc(files, (file_count + 1) * sizeof *files);
        struct file *file = &files[file_count++];
        snprintf(file->path, sizeof file->path, "/files/%s ", entry->d_name);
        file->length = (size_t) status.st_size;
        file->descriptor = from;
        if (!by_sendfile) {
            file->bytes = malloc(file->length + 1);
            if (read(from, file->bytes, file->length) != (ssize_t) file->length) {
                perror(entry->d_name);
                exit(1);
            }
            close(from);
        }
        file->head.length = (size_t) snprintf(file->head.bytes, sizeof file->head.bytes,
            "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %zu\r\nServer: Floor\r\n",
            type(entry->d_name), file->length);
    }
    closedir(entries);
}

/** Reads one header section from `at`; returns its end, or NULL when it is not complete. */
static char *head(char *at, char *end, char **target, bool *keep) {
    char *method_end = memchr(at, ' ', (size_t) (end - at));
    if (!method_end) return NULL;
    *target = method_end + 1;
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
        if (colon - at == 10 && !strncasecmp(at, "connection", 10) && (colon[2] | 32) == 'c') *keep = false;
    }
    return NULL;
}

static size_t append(char *to, const struct answer *answer) {
    memcpy(to, answer->bytes, answer->length);
    return answer->length;
}

/** Puts the response for `target` at `to`, and in `body` the file that follows it; returns its length. */
static size_t answer(const char *target, char *to, const struct file **body) {
    if (target[1] == 'p') return append(to, &hello);
    if (target[1] == 'e') return append(to, &echo);
    if (target[1] == 't') return append(to, &three);
    for (struct file *file = files; file < files + file_count; file++) {
        if (strncmp(target, file->path, strlen(file->path))) continue;
        if (file->length) *body = file;
        size_t length = append(to, &file->head);
        return length + append(to + length, &dated);
    }
    return append(to, &missing);
}

static void want(int socket, uint32_t events, int change) {
    struct epoll_event wanted = {.events = events, .data.fd = socket};
    epoll_ctl(poll, change, socket, &wanted);
}

/** Keeps what is left of a write: the bytes are copied, as the next connection uses their place. */
static void park(int socket, const struct output *output, const char *at, const char *end, bool keep) {
    size_t input = (size_t) (end - at);
    struct rest *rest = malloc(sizeof *rest + output->length + input);
    rest->output = *output;
    rest->output.bytes = memcpy(rest->kept, output->bytes, output->length);
    rest->keep = keep;
    rest->at = memcpy(rest->kept + output->length, at, input);
    rest->end = rest->at + input;
    waiting[socket] = rest;
    want(socket, EPOLLOUT, EPOLL_CTL_MOD);
}

static bool left(const struct output *output) {
    return output->length || output->file;
}

/** One system call: what is next of the output. Returns what it returns. */
static ssize_t put_next(int socket, const struct output *output) {
    const struct file *file = output->file;
    if (!file) return write(socket, output->bytes, output->length);
    size_t rest = file->length - (size_t) output->at;
    if (!by_sendfile) {
        struct iovec parts[2] = {{output->bytes, output->length}, {file->bytes + output->at, rest}};
        return writev(socket, parts, 2);
    }
    if (output->length) return send(socket, output->bytes, output->length, MSG_MORE);
    off_t at = output->at;
    return sendfile(socket, file->descriptor, &at, rest);
}

/** Writes the output until it has left or the socket takes no more; returns whether the socket still works. */
static bool put(int socket, struct output *output) {
    while (left(output)) {
        ssize_t taken = put_next(socket, output);
        if (taken < 0) return errno == EAGAIN;
        size_t bytes = (size_t) taken < output->length ? (size_t) taken : output->length;
        output->bytes += bytes;
        output->length -= bytes;
        output->at += taken - (ssize_t) bytes;
        if (output->file && output->at == (off_t) output->file->length) output->file = NULL;
        if (!by_sendfile) break; // what a write has left over, the next would not take either
    }
    return true;
}

/** Answers the requests between `at` and `end`: one write for as many as there are, but a file ends a write. */
static void serve(int socket, char *at, char *end) {
    static char bytes[OUTPUT];
    bool keep = true;
    while (keep && at < end) {
        struct output output = {.bytes = bytes};
        do {
            char *target;
            char *next = head(at, end, &target, &keep);
            if (!next) {
                at = end;
                break;
            }
            output.length += answer(target, bytes + output.length, &output.file);
            at = next;
        } while (keep && at < end && !output.file && output.length < OUTPUT - 2 * sizeof(struct answer));
        if (!output.length) break;
        if (!put(socket, &output)) {
            keep = false;
        } else if (left(&output)) {
            park(socket, &output, at, end, keep);
            return;
        }
    }
    if (!keep) close(socket);
}

/** Goes on where `park` stopped. */
static void resume(int socket) {
    struct rest *rest = waiting[socket];
    bool works = put(socket, &rest->output);
    if (works && left(&rest->output)) return;
    waiting[socket] = NULL;
    if (works && rest->keep) {
        want(socket, EPOLLIN | EPOLLRDHUP, EPOLL_CTL_MOD);
        serve(socket, rest->at, rest->end);
    } else {
        close(socket);
    }
    free(rest);
}

static void receive(int socket) {
    static char input[INPUT];
    ssize_t got = read(socket, input, sizeof input);
    if (got > 0) serve(socket, input, input + got);
    else close(socket);
}

int main(int count, char **arguments) {
    int one = 1, port = count > 1 ? atoi(arguments[1]) : 8080;
    by_sendfile = count > 3 && !strcmp(arguments[3], "sendfile");
    if (count > 2) load(arguments[2]);
    signal(SIGPIPE, SIG_IGN);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    setsockopt(listener, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((in_port_t) port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (bind(listener, (void *) &address, sizeof address) || listen(listener, 4096)) {
        perror("floor");
        return 1;
    }
    poll = epoll_create1(0);
    struct epoll_event events[EVENTS];
    want(listener, EPOLLIN, EPOLL_CTL_ADD);
    for (;;) {
        int ready = epoll_wait(poll, events, EVENTS, -1);
        tick();
        for (int i = 0; i < ready; i++) {
            int socket = events[i].data.fd;
            if (socket != listener) {
                if (waiting[socket]) resume(socket);
                else receive(socket);
                continue;
            }
            for (int n = 0; n < ACCEPTS; n++) {
                socket = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
                if (socket < 0) break;
                if (socket < SOCKETS) want(socket, EPOLLIN | EPOLLRDHUP, EPOLL_CTL_ADD);
                else close(socket);
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
//
// /usr/bin/sirocco of the container image, which has no shell:
//
//   sirocco health [URL]     exits 0 if URL responds with 2xx, else 1; starts no JVM
//   sirocco ...              becomes the JVM, with the options of packaging/java.args
//
// The JVM replaces this program, so it is process 1 and receives the signals. It is packaging/sirocco.sh otherwise,
// and knows the limits of a container: a quota of processors, and memory below 256 MiB, of which half would be too large a
// heap, since the JVM needs some 40 MiB beside it.

#define _GNU_SOURCE
#include <errno.h>
#include <netdb.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define HOME "/usr/lib/sirocco"
#define LIB HOME "/lib"
#define MOST 1024 // words of a command line
#define LEAST_MEMORY 64 // MiB
#define SMALL_MEMORY 128
#define LARGE_MEMORY 256
#define HEALTH_SECONDS 3

static char *words[MOST + 1];
static int count;

static void add(char *word) {
    if (count == MOST) {
        fprintf(stderr, "sirocco: more than %d words; are there so many in SIROCCO_JAVA_OPTS?\n", MOST);
        exit(2);
    }
    words[count++] = word;
}

// ---- limits of the container, in the files that it sees of itself: cgroup 2, then 1

static int read_numbers(const char *file, long long *first, long long *second) {
    FILE *from = fopen(file, "re");
    if (!from) return 0;
    int found = fscanf(from, "%lld %lld", first, second); // "max" is no number, and no limit
    fclose(from);
    return found < 0 ? 0 : found;
}

static int few_processors(void) {
    cpu_set_t set;
    long long quota, period, none;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) <= 2) return 1;
    if (read_numbers("/sys/fs/cgroup/cpu.max", &quota, &period) == 2) return quota <= 2 * period;
    return read_numbers("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", &quota, &none) == 1 &&
           read_numbers("/sys/fs/cgroup/cpu/cpu.cfs_period_us", &period, &none) == 1 && quota > 0 && quota <= 2 * period;
}

// The limit in MiB, or 0 if there is none.
static int memory_limit(void) {
    long long limit, none;
    if (read_numbers("/sys/fs/cgroup/memory.max", &limit, &none) < 1 &&
        read_numbers("/sys/fs/cgroup/memory/memory.limit_in_bytes", &limit, &none) < 1)
        return 0;
    return limit >> 20 < 1 << 20 ? (int)(limit >> 20) : 0; // version 1 says 8 EiB
}

// ---- the JVM

// Whether SIROCCO_JAVA_OPTS names a collector, such as -XX:+UseZGC.
static int names_collector(const char *options) {
    for (const char *at = options; (at = strstr(at, "-XX:+Use")); at++) {
        const char *end = at + strcspn(at, " \t\n");
        if (end - at > 2 && memmem(at, end - at, "GC", 2)) return 1;
    }
    return 0;
}

static void fit_memory(int mib) {
    static char largest[32];
    if (mib < LEAST_MEMORY) {
        fprintf(stderr,
                "sirocco: the container has %d MiB of memory, and Sirocco needs %d MiB: raise its limit "
                "(docker run --memory %dm), or set -Xms and -Xmx in SIROCCO_JAVA_OPTS\n",
                mib, LEAST_MEMORY, LEAST_MEMORY);
        exit(2);
    }
    snprintf(largest, sizeof largest, "-Xmx%dm", mib * 3 / 8 - 4);
    add("-Xms8m");
    add(largest);
    if (mib >= SMALL_MEMORY) return;
    // The second compiler needs much memory while it works; a cache that is mapped where it wants to be takes 10 MiB less.
    add("-XX:TieredStopAtLevel=1");
    add("-XX:ReservedCodeCacheSize=16m");
    add("-XX:ArchiveRelocationMode=0");
}

static int run(int argc, char **argv) {
    char *options = getenv("SIROCCO_JAVA_OPTS");
    options = strdup(options ? options : "");
    int mib = memory_limit();
    add(HOME "/runtime/bin/java");
    add("@" LIB "/java.args");
    if (!names_collector(options) && few_processors()) add("-XX:+UseSerialGC");
    if (mib > 0 && mib < LARGE_MEMORY) {
        setenv("MALLOC_ARENA_MAX", "1", 0);
        if (!strstr(options, "-Xm")) fit_memory(mib);
    }
    if (argc > 1 && strcmp(argv[1], "home") == 0) add("-XX:-ExitOnOutOfMemoryError"); // it discards its scripts instead
    add("-XX:AOTCache=" LIB "/sirocco.aot");
    add("-Dsirocco.aot=" LIB "/sirocco.aot");
    add("-Dsirocco.launcher=/usr/bin/sirocco");
    // Where nothing can be written, nothing can be unpacked: these libraries are files already.
    add("-Dbrotli4j.library.path=" LIB "/native/libbrotli.so");
    add("-DZstdNativePath=" LIB "/native/libzstd-jni.so");
    add("-Dtruffle.attach.library=" LIB "/native/libtruffleattach.so");
    for (char *word = strtok(options, " \t\n"); word; word = strtok(NULL, " \t\n")) add(word);
    add("-jar");
    add(LIB "/sirocco.jar");
    for (int i = 1; i < argc; i++) add(argv[i]);
    execv(words[0], words);
    fprintf(stderr, "sirocco: %s: %s\n", words[0], strerror(errno));
    return 1;
}

// ---- health

static int unhealthy(const char *url, const char *why) {
    fprintf(stderr, "sirocco: %s: %s\n", url, why);
    return 1;
}

static int health(const char *url) {
    char host[256], port[6] = "80", request[2048], line[64];
    const char *scheme = "http://";
    if (strncmp(url, scheme, strlen(scheme))) return unhealthy(url, "the URL must begin with http://");
    const char *at = url + strlen(scheme), *path = at + strcspn(at, "/?");
    const char *name = at, *name_end = at + strcspn(at, ":/?");
    if (*at == '[') { // IPv6
        name = at + 1;
        name_end = name + strcspn(name, "]");
        if (*name_end != ']') return unhealthy(url, "the address lacks its ']'");
    }
    const char *colon = *name_end == ']' ? name_end + 1 : name_end;
    if (colon < path && *colon == ':' && path - colon > 1 && path - colon <= (long)sizeof port)
        snprintf(port, sizeof port, "%.*s", (int)(path - colon - 1), colon + 1);
    else if (colon != path)
        return unhealthy(url, "the URL is not http://HOST:PORT/PATH");
    if (strspn(port, "0123456789") != strlen(port) || atoi(port) < 1 || atoi(port) > 65535)
        return unhealthy(url, "the port must be from 1 to 65535");
    if (name_end == name || name_end - name >= (long)sizeof host) return unhealthy(url, "the URL names no host");
    snprintf(host, sizeof host, "%.*s", (int)(name_end - name), name);
    int length = snprintf(request, sizeof request, "GET %s%s HTTP/1.1\r\nHost: %.*s\r\nConnection: close\r\n\r\n",
                          *path == '/' ? "" : "/", path, (int)(path - at), at);
    if (length >= (int)sizeof request) return unhealthy(url, "the URL is too long");
    if (strpbrk(url, " \r\n\t")) return unhealthy(url, "the URL has a blank in it");

    struct addrinfo *found, hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    int failed = getaddrinfo(host, port, &hints, &found);
    if (failed) return unhealthy(url, gai_strerror(failed));
    struct timeval limit = {.tv_sec = HEALTH_SECONDS};
    int fd = -1;
    for (struct addrinfo *each = found; each && fd < 0; each = each->ai_next) {
        fd = socket(each->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (fd < 0) continue;
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit); // also of connect
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        if (connect(fd, each->ai_addr, each->ai_addrlen) == 0) break;
        failed = errno;
        close(fd);
        fd = -1;
    }
    if (fd < 0) return unhealthy(url, failed == EINPROGRESS ? "no connection within 3 s" : strerror(failed));
    if (send(fd, request, length, MSG_NOSIGNAL) != length) return unhealthy(url, "the request could not be sent");
    ssize_t n = recv(fd, line, sizeof "HTTP/1.1 200" - 1, MSG_WAITALL);
    if (n < (ssize_t)sizeof "HTTP/1.1 200" - 1) return unhealthy(url, "no response within 3 s");
    line[n] = 0;
    if (strncmp(line, "HTTP/1.", 7) || line[9] != '2') return unhealthy(url, line);
    return 0;
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "health") == 0) {
        if (argc > 3) {
            fprintf(stderr, "sirocco health: it takes one URL, as in sirocco health http://127.0.0.1:9180/ready\n");
            return 2;
        }
        if (argc == 3 && argv[2][0] == '-') {
            printf("Usage: sirocco health [URL]\n\nExits 0 if URL responds with 2xx within 3 seconds, else 1.\n"
                   "(default: http://127.0.0.1:9180/ready)\n");
            return strcmp(argv[2], "-h") && strcmp(argv[2], "--help") ? 2 : 0;
        }
        return health(argc == 3 ? argv[2] : "http://127.0.0.1:9180/ready");
    }
    return run(argc, argv);
}

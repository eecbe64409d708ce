// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.heavy;

import io.sirocco.http.Monitor;
import io.sirocco.http.locks.Caller;
import io.sirocco.http.locks.ClosedLoop;
import io.sirocco.http.locks.LockedServer;
import io.sirocco.http.locks.SharedLock;
import io.sirocco.http.locks.SharedLock.Kind;
import io.sirocco.net.TransportKind;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Handlers of all modes, a monitor and streams share a lock, for as long as 60,000 requests. */
@Tag("heavy")
@Timeout(120)
final class LocksUnderLoadTest {
    private static final int CONNECTIONS = 64;
    private static final int AT_ONCE = 4;
    private static final int QUESTIONS = 240;
    private static final List<String> PATHS =
            Stream.of(LockedServer.HANDLERS, LockedServer.LATER, List.of("GET /events/"))
                    .flatMap(List::stream)
                    .toList();

    static Stream<Arguments> locks() {
        return Stream.of(TransportKind.IO_URING, TransportKind.EPOLL, TransportKind.NIO)
                .flatMap(t -> Arrays.stream(Kind.values()).map(kind -> Arguments.of(t, kind)));
    }

    @ParameterizedTest
    @MethodSource("locks")
    void everyConnectionIsAnswered(TransportKind transport, Kind kind) throws Exception {
        try (var lock = SharedLock.of(kind)) {
            var monitor =
                    new Monitor() {
                        @Override
                        public void completed(CompletedRequest request) {
                            lock.use();
                        }
                    };
            var any = new InetSocketAddress("127.0.0.1", 0);
            try (var server =
                    new LockedServer(
                            transport, lock, c -> c.listen(any).monitor(monitor), _ -> {})) {
                ClosedLoop.run(
                        CONNECTIONS,
                        QUESTIONS,
                        c -> LockedServer.talk(new Caller(server.port()), c, AT_ONCE, PATHS));
            }
            lock.check();
        }
    }
}

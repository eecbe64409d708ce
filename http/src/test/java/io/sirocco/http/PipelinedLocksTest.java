// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

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
import javax.net.SocketFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * While a handler on the loop waits for a lock, the loop's virtual threads go on, and requests of
 * many connections lie half read in its buffers: no response is lost, mixed or out of order.
 */
@Timeout(60)
final class PipelinedLocksTest {
    private static final int CONNECTIONS = 32;
    private static final int AT_ONCE = 8;
    private static final int QUESTIONS = 8;
    private static final List<String> PATHS =
            Stream.concat(LockedServer.HANDLERS.stream(), LockedServer.LATER.stream()).toList();

    static Stream<Arguments> locks() {
        return locks(Kind.values());
    }

    static Stream<Arguments> someLocks() {
        return locks(Kind.MONITOR, Kind.LOCK, Kind.NESTED);
    }

    private static Stream<Arguments> locks(Kind... kinds) {
        return Stream.of(TransportKind.IO_URING, TransportKind.EPOLL, TransportKind.NIO)
                .flatMap(t -> Arrays.stream(kinds).map(kind -> Arguments.of(t, kind)));
    }

    @ParameterizedTest
    @MethodSource("locks")
    void responsesStayInOrderAndWhole(TransportKind transport, Kind kind) throws Exception {
        try (var lock = SharedLock.of(kind)) {
            try (var server = new LockedServer(transport, lock, _ -> {})) {
                run(server, SocketFactory.getDefault());
            }
            lock.check();
        }
    }

    @ParameterizedTest
    @MethodSource("someLocks")
    void andOverTls(TransportKind transport, Kind kind) throws Exception {
        try (var lock = SharedLock.of(kind)) {
            var any = new InetSocketAddress("127.0.0.1", 0);
            try (var server =
                    new LockedServer(
                            transport,
                            lock,
                            config -> config.listen(any, TlsLink.TLS).sniHostCheck(false),
                            _ -> {})) {
                run(server, TlsLink.CONTEXT.getSocketFactory());
            }
            lock.check();
        }
    }

    private static void run(LockedServer server, SocketFactory sockets) throws Exception {
        ClosedLoop.run(
                CONNECTIONS,
                QUESTIONS,
                connection ->
                        LockedServer.talk(
                                new Caller(sockets, server.port()), connection, AT_ONCE, PATHS));
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.transport.DatagramSocket;
import io.sirocco.net.transport.ListeningSocket;
import io.sirocco.net.transport.Transport;
import io.sirocco.testkit.OnEachTransport;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/**
 * A socket that fails after it was made, for want of memory in the kernel or the heap, is closed.
 */
@OnEachTransport
class FailedBeginningsTest {
    /** What is done in the place of a call. */
    private interface Fault {
        Object in(Callable<Object> call) throws Throwable;
    }

    private static final Fault NO_SPACE =
            listen -> {
                throw new IOException("epoll_ctl: No space left on device");
            };

    @Parameter TransportKind transport;
    @TempDir Path folder;
    private Rig rig;
    private InetSocketAddress free;

    @BeforeEach
    void start() throws Exception {
        rig = new Rig(transport);
        try (var socket =
                new java.net.ServerSocket(0, 1, java.net.InetAddress.getLoopbackAddress())) {
            free = new InetSocketAddress("127.0.0.1", socket.getLocalPort());
        }
    }

    @AfterEach
    void stop() throws Exception {
        rig.close();
    }

    @Test
    void anAddressIsFreeWhenListeningHasFailed() throws Exception {
        Path file = folder.resolve("socket");
        Loop loop = rig.loop();
        Object real =
                replace(
                        loop,
                        "bind",
                        bind -> instead(bind.call(), ListeningSocket.class, "listen", NO_SPACE));
        assertThrows(IOException.class, () -> rig.loops().listen(free, c -> new Echo()));
        assertThrows(
                IOException.class,
                () -> rig.loops().listen(UnixDomainSocketAddress.of(file), c -> new Echo()));
        restore(loop, real);
        assertTrue(Peer.refused(free), "nothing listens");
        assertFalse(Files.exists(file));
    }

    @Test
    void aUdpAddressIsFreeWhenOpeningHasFailed() throws Exception {
        Loop loop = rig.loop();
        Object real =
                replace(
                        loop,
                        "bindDatagrams",
                        bind -> instead(bind.call(), DatagramSocket.class, "open", NO_SPACE));
        assertThrows(IOException.class, () -> rig.loops().datagrams(free, (d, b, l, from) -> {}));
        restore(loop, real);
        new java.net.DatagramSocket(free).close();
    }

    @Test
    void aConnectThatFindsNoHeapFails() throws Exception {
        Loop loop = rig.loop();
        var told = new CompletableFuture<IOException>();
        Object real =
                replace(
                        loop,
                        "connect",
                        connect -> {
                            throw new OutOfMemoryError("a test");
                        });
        loop.execute(
                () ->
                        loop.connect(
                                Destination.of(free),
                                new Connector() {
                                    @Override
                                    public Protocol connected(Connection connection) {
                                        return new Echo();
                                    }

                                    @Override
                                    public void failed(IOException why) {
                                        told.complete(why);
                                    }
                                }));
        assertTrue(Rig.get(told).getMessage().contains("out of memory"));
        restore(loop, real);
    }

    /** Puts a transport with a fault into the loop; returns the real one. */
    private static Object replace(Loop loop, String method, Fault fault) throws Exception {
        Object real = field().get(loop);
        field().set(loop, instead(real, Transport.class, method, fault));
        return real;
    }

    private static void restore(Loop loop, Object real) throws Exception {
        field().set(loop, real);
    }

    private static Field field() throws NoSuchFieldException {
        Field field = Loop.class.getDeclaredField("transport");
        field.setAccessible(true);
        return field;
    }

    private static Object instead(Object real, Class<?> type, String method, Fault fault) {
        return Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, called, arguments) -> {
                    Callable<Object> call = () -> called.invoke(real, arguments);
                    try {
                        return called.getName().equals(method) ? fault.in(call) : call.call();
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}

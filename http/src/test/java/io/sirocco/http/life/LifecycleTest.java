// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.life;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Config;
import io.sirocco.http.Response;
import io.sirocco.http.Routes;
import io.sirocco.http.Server;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.FreePort;
import io.sirocco.testkit.OnAllTransports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Start, stop and start again. */
@OnAllTransports
final class LifecycleTest {
    @Parameter TransportKind transport;

    private void plain(Config config) {
        config.port(0).transport(transport).loops(2);
    }

    private static void hello(Routes routes) {
        routes.get("/hello", request -> Response.text("hello"));
    }

    @Test
    void portZeroIsReported() throws IOException {
        try (Server server = Server.start(this::plain, LifecycleTest::hello)) {
            assertNotEquals(0, server.port());
            assertEquals("hello", Client.get(server.port(), "/hello").text());
            assertEquals(transport, server.transport());
        }
    }

    @Test
    void aSecondStartOnlyLogs() throws IOException {
        try (Server server = Server.start(this::plain, LifecycleTest::hello)) {
            int port = server.port();
            assertSame(server, server.start());
            assertEquals(port, server.port());
            assertEquals("hello", Client.get(port, "/hello").text());
        }
    }

    @Test
    void aSecondStopOnlyLogs() {
        Server server = Server.start(this::plain, LifecycleTest::hello);
        assertTrue(server.stop(Duration.ofSeconds(5)));
        assertFalse(server.isRunning());
        assertTrue(server.stop(Duration.ofSeconds(5)));
        assertThrows(IllegalStateException.class, server::port);
        assertEquals(List.of(), server.addresses());
    }

    @Test
    void aFailedBindLeavesItStartable() throws IOException {
        Server server;
        try (var occupant = new ServerSocket(0, 1, InetAddress.getByName("0.0.0.0"))) {
            int port = occupant.getLocalPort();
            server =
                    Server.create(
                            config -> config.port(port).transport(transport).loops(2),
                            LifecycleTest::hello);
            var refusal = assertThrows(UncheckedIOException.class, server::start);
            assertTrue(refusal.getMessage().contains(Integer.toString(port)), refusal.getMessage());
            assertFalse(server.isRunning());
        }
        try (server) {
            server.start();
            assertEquals("hello", Client.get(server.port(), "/hello").text());
        }
    }

    @Test
    void aPortThatAnotherServerSharesAmongItsLoopsIsRefused() {
        try (Server first = Server.start(this::plain, LifecycleTest::hello)) {
            Server second =
                    Server.create(
                            config -> config.port(first.port()).transport(transport).loops(2),
                            LifecycleTest::hello);
            assertThrows(UncheckedIOException.class, second::start);
        }
    }

    @Test
    void whenTheSecondAddressCannotBeBoundTheFirstIsGivenBack() throws IOException {
        try (var occupant = new ServerSocket(0, 1, InetAddress.getByName("0.0.0.0"))) {
            int port = FreePort.tcp(); // another one, since that is taken
            Server server =
                    Server.create(
                            config ->
                                    config.port(port)
                                            .port(occupant.getLocalPort())
                                            .transport(transport),
                            LifecycleTest::hello);
            assertThrows(UncheckedIOException.class, server::start);
            assertTrue(Client.refused(port));
        }
    }

    @Test
    void restartsFiftyTimesOnOnePortAtOnce() throws IOException {
        Server server = Server.start(this::plain, LifecycleTest::hello);
        int port = server.port();
        assertTrue(server.stop(Duration.ofSeconds(5)));
        server =
                Server.create(
                        config -> config.port(port).transport(transport).loops(2),
                        LifecycleTest::hello);
        for (int round = 0; round < 50; round++) {
            server.start();
            // The server ends this connection first, so that its port is left in TIME_WAIT.
            try (Client client = Client.to(port)) {
                assertEquals("hello", client.get("/hello").text(), "round " + round);
                assertTrue(server.stop(Duration.ofSeconds(5)));
                assertTrue(client.over());
            }
            assertTrue(Client.refused(port), "round " + round);
        }
    }

    @Test
    void twoServersDoNotKnowEachOther() throws IOException {
        Server one =
                Server.start(
                        config ->
                                config.port(0)
                                        .transport(transport)
                                        .loops(1)
                                        .name("one")
                                        .errorPages(
                                                (status, message) -> Response.text("page of one")),
                        routes -> routes.get("/who", request -> Response.text("one")));
        Server two =
                Server.start(
                        config -> config.port(0).transport(transport).loops(1).name("two"),
                        routes -> routes.get("/who", request -> Response.text("two")));
        try (one;
                two;
                Client ofTwo = Client.to(two.port())) {
            assertEquals("one", Client.get(one.port(), "/who").text());
            assertEquals("two", ofTwo.get("/who").text());
            assertEquals("page of one", Client.get(one.port(), "/none").text());
            assertEquals("Not Found", ofTwo.get("/none").text());
            assertEquals(2, one.stats().getFirst().requests());
            one.stop(Duration.ofSeconds(5));
            assertEquals("two", ofTwo.get("/who").text());
            assertEquals(3, two.stats().getFirst().requests());
            assertEquals(1, two.stats().getFirst().net().connections());
        }
    }

    @Test
    void aServerMayListenOnSeveralAddressesAndAUnixSocket(@TempDir Path folder) {
        Path file = folder.resolve("socket");
        Server server =
                Server.start(
                        config -> config.port(0).port(0).unixSocket(file).transport(transport),
                        LifecycleTest::hello);
        assertEquals(3, server.addresses().size());
        assertTrue(Files.exists(file));
        server.close();
        assertFalse(Files.exists(file));
    }

    @Test
    void nothingOfItIsLeftAfterTheStop() throws IOException {
        Footprint before = Footprint.now();
        for (int round = 0; round < 5; round++) {
            try (Server server = Server.start(this::plain, LifecycleTest::hello)) {
                assertEquals("hello", Client.get(server.port(), "/hello").text());
            }
        }
        before.isReachedAgain();
    }
}

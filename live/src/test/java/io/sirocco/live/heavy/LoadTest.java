// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.heavy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.heavy.Child;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a thousand clients cost, and more of them. Prints figures; the bounds are generous. */
@Tag("heavy")
@Timeout(300)
final class LoadTest {

    private static Child server(String how) throws IOException {
        return Child.start(LoadServer.class, List.of("-Xmx256m"), List.of(how));
    }

    @Test
    void anIdleClientCostsLessThanTwoKilobytes() throws Exception {
        int many = 4_000;
        try (Child server = server("open");
                var all = new Clients(server.number())) {
            all.connect(200, "", false);
            long before = server.liveHeap();
            all.connect(many, "", false);
            assertEquals(many + 200, Integer.parseInt(server.ask("clients")));
            long each = (server.liveHeap() - before) / many;
            System.out.println(each + " bytes of live heap per idle client");
            server.histogram().lines().limit(28).forEach(System.out::println);
            assertTrue(each <= 2_048, each + " bytes");
        }
    }

    @Test
    void aThousandClientsFetchATicketConnectAndAuthenticate() throws Exception {
        try (Child server = server("tickets");
                var all = new Clients(server.number())) {
            for (int round = 0; round < 6; round++) {
                long began = System.nanoTime();
                all.connect(1_000, null, true);
                long millis = (System.nanoTime() - began) / 1_000_000;
                System.out.println("1,000 clients in " + millis + " ms");
            }
            assertEquals(6_000, Integer.parseInt(server.ask("clients")));
        }
    }

    @Test
    void aMessageToAThousandClients() throws Exception {
        int clients = 1_000;
        int messages = 1_000;
        try (Child server = server("open");
                var all = new Clients(server.number())) {
            all.connect(clients, "", false);
            for (int round = 0; round < 4; round++) {
                long cpu = Long.parseLong(server.ask("cpu"));
                long began = System.nanoTime();
                Future<Integer> received = all.receive(messages);
                server.ask("pace " + messages + " 1000");
                assertEquals(clients * messages, received.get());
                long millis = (System.nanoTime() - began) / 1_000_000;
                long spent = Long.parseLong(server.ask("cpu")) - cpu;
                System.out.println(
                        messages
                                + " messages to "
                                + clients
                                + " clients in "
                                + millis
                                + " ms; the server's CPU: "
                                + spent
                                + " ms");
            }
        }
    }

    @Test
    void anEchoOfClientsThatBeganWithPolling() throws Exception {
        int clients = 32;
        int echoes = 1_000;
        try (Child server = server("open");
                var all = new Clients(server.number())) {
            all.upgrade(clients);
            for (int round = 0; round < 6; round++) {
                long cpu = Long.parseLong(server.ask("cpu"));
                long began = System.nanoTime();
                all.echo(echoes);
                long micros = (System.nanoTime() - began) / 1_000;
                long spent = Long.parseLong(server.ask("cpu")) - cpu;
                System.out.println(
                        clients * echoes
                                + " echoes, one at a time of each of "
                                + clients
                                + " clients: "
                                + micros / echoes
                                + " us each; the server's CPU: "
                                + spent * 1_000 / (clients * echoes)
                                + " us each");
            }
        }
    }

    /** Clients of one server. */
    private static final class Clients implements AutoCloseable {
        private final int port;
        private final ConcurrentLinkedQueue<Load> all = new ConcurrentLinkedQueue<>();
        private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

        Clients(int port) {
            this.port = port;
        }

        /** Opens some, thirty at a time. */
        void connect(int many, String auth, boolean ticket) throws Exception {
            var slots = new Semaphore(30);
            var open = new ArrayList<Future<?>>();
            for (int i = 0; i < many; i++) {
                slots.acquire();
                open.add(
                        threads.submit(
                                () -> {
                                    try {
                                        open(auth, ticket);
                                        return null;
                                    } finally {
                                        slots.release();
                                    }
                                }));
            }
            for (Future<?> each : open) {
                each.get();
            }
        }

        private void open(String auth, boolean ticket) throws IOException {
            var load = new Load(port);
            all.add(load);
            String own = ticket ? "{\"ticket\":\"" + load.get("/ticket") + "\"}" : auth;
            load.connect(own);
        }

        void upgrade(int many) throws IOException {
            for (int i = 0; i < many; i++) {
                try (var first = new Load(port)) {
                    all.add(new Load(port).upgrade(first));
                }
            }
        }

        /** Has each ask for so many echoes, one after the other. */
        void echo(int many) throws Exception {
            var parts = new ArrayList<Future<?>>();
            for (Load load : all) {
                parts.add(
                        threads.submit(
                                () -> {
                                    for (int i = 0; i < many; i++) {
                                        load.send("42" + i + "[\"echo\"," + i + "]");
                                        assertEquals("43" + i + "[" + i + "]", load.next());
                                    }
                                    return null;
                                }));
            }
            for (Future<?> part : parts) {
                part.get();
            }
        }

        /** Has each receive so many; how many that were. */
        Future<Integer> receive(int messages) {
            var parts = new ArrayList<Future<Integer>>();
            for (Load load : all) {
                parts.add(
                        threads.submit(
                                () -> {
                                    int n = 0;
                                    while (n < messages) {
                                        if (load.next().startsWith("42")) {
                                            n++;
                                        }
                                    }
                                    return n;
                                }));
            }
            return threads.submit(
                    () -> {
                        int sum = 0;
                        for (Future<Integer> part : parts) {
                            sum += part.get();
                        }
                        return sum;
                    });
        }

        @Override
        public void close() throws IOException {
            for (Load load : all) {
                load.close();
            }
            threads.shutdownNow();
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.ExecutionMode;
import io.sirocco.http.Monitor;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.Routes;
import io.sirocco.http.Server;
import io.sirocco.live.broker.Limit;
import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Locks that the code of the event loops and their virtual threads have in common, of the program
 * and of ours: no loop may wait for a thread that waits for that loop, and nothing is lost, torn or
 * reordered while a loop waits. A client that is not answered fails the test.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LocksTest {
    private static final int CLIENTS = 24;
    private static final int ROUNDS = 3;
    private static final int EVENTS = 12;
    private static final int COMING = 120;
    private static final long PATIENCE = Duration.ofSeconds(10).toNanos();

    private Live live;
    private Server server;
    private final AtomicBoolean over = new AtomicBoolean();

    /** Locks that programs have, and libraries that they call. */
    private enum Kind {
        MONITOR,
        REENTRANT_LOCK,
        PRINT_STREAM,
        MAP_BIN;

        /** Returns a new lock, with which a section can be run. */
        Consumer<Runnable> create() {
            return switch (this) {
                case MONITOR -> {
                    var monitor = new Object();
                    yield section -> {
                        synchronized (monitor) {
                            section.run();
                        }
                    };
                }
                case REENTRANT_LOCK -> {
                    var lock = new ReentrantLock();
                    yield section -> {
                        lock.lock();
                        try {
                            section.run();
                        } finally {
                            lock.unlock();
                        }
                    };
                }
                case PRINT_STREAM -> { // as System.out is one
                    var out = new PrintStream(OutputStream.nullOutputStream());
                    yield section -> out.format("%s", new Printed(section));
                }
                case MAP_BIN -> {
                    var map = new ConcurrentHashMap<String, String>();
                    yield section ->
                            map.compute(
                                    "key",
                                    (key, value) -> {
                                        section.run();
                                        return key;
                                    });
                }
            };
        }
    }

    /** Runs a section when a stream prints it, which holds its lock. */
    private record Printed(Runnable section) {
        @Override
        public String toString() {
            section.run();
            return "";
        }
    }

    private void start(
            TransportKind transport,
            Monitor monitor,
            Consumer<LiveSettings> settings,
            Consumer<Routes> beside) {
        live = Live.create(settings);
        server =
                Server.start(
                        c ->
                                c.listen(new InetSocketAddress("127.0.0.1", 0))
                                        .loops(2)
                                        .transport(transport)
                                        .monitor(monitor),
                        routes -> beside.accept(routes.mount("/socket.io", live)));
    }

    /** On a thread of its own: a loop that hangs never stops. */
    @AfterEach
    void stop() throws InterruptedException {
        over.set(true);
        Thread stops =
                Thread.ofPlatform().daemon().start(() -> server.stop(Duration.ofMillis(200)));
        assertTrue(stops.join(Duration.ofSeconds(5)), "the server does not stop");
    }

    /** Does it {@code times} at the same time. */
    private static void atOnce(int times, Numbered task) throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var all = new ArrayList<Future<Void>>();
            for (int i = 0; i < times; i++) {
                int number = i;
                Callable<Void> one =
                        () -> {
                            task.run(number);
                            return null;
                        };
                all.add(threads.submit(one));
            }
            for (Future<Void> each : all) {
                each.get();
            }
        }
    }

    private interface Numbered {
        void run(int number) throws Exception;
    }

    private static void await(String what, BooleanSupplier happened) {
        long giveUp = System.nanoTime() + PATIENCE;
        while (!happened.getAsBoolean()) {
            assertTrue(System.nanoTime() < giveUp, "waited in vain: " + what);
            LockSupport.parkNanos(200_000);
        }
    }

    // ---- our locks

    /** Of admissions: of guesses, of tickets that were used, of connects that are counted. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void allThatComeAtOnceAreLetInOrRefused(TransportKind transport) throws Exception {
        start(
                transport,
                Monitor.NONE,
                c ->
                        c.password("secret")
                                .tickets(Duration.ofMinutes(1))
                                .recovery(Duration.ofMinutes(1))
                                .presence("*")
                                .connects(new Limit.Bucket(1_000_000, Duration.ofSeconds(1)))
                                .address(r -> r.header("X-Client").orElse("192.0.2.1")),
                routes -> routes.route("POST", "/ticket", this::ticket));
        live.onConnect(client -> client.join("room"));
        List<Thread> elsewhere =
                Stream.generate(() -> Thread.ofPlatform().daemon().start(this::guardElsewhere))
                        .limit(2)
                        .toList();
        for (int round = 0; round < ROUNDS; round++) {
            atOnce(COMING, this::come);
        }
        over.set(true);
        for (Thread each : elsewhere) {
            each.join();
        }
        await("all have left", () -> live.clients().isEmpty() && live.rooms().isEmpty());
        await("nobody is present", () -> live.presence("room").members().isEmpty());
    }

    private Response ticket(Request request) {
        if (live.guesses().take(request).isPositive()) {
            return Response.empty(429);
        }
        live.guesses().verified(request, false);
        return Response.text(live.ticket(request.header("X-User").orElse("")));
    }

    /** A program that accepts the password in another place, too. */
    private void guardElsewhere() {
        while (!over.get()) {
            assertEquals(Duration.ZERO, live.guesses().take("192.0.2.1"));
            live.guesses().verified("192.0.2.1", false);
        }
    }

    private void come(int number) throws IOException {
        boolean guesses = number % 10 == 9;
        String headers = guesses ? "X-Client: 198.51.100." + number + "\r\n" : "";
        String secret = guesses ? "guess" : "secret";
        String auth = "{\"password\":\"" + secret + "\"}";
        if (number % 2 == 0) {
            try (var http = new Poller(server.port())) {
                auth = "{\"ticket\":\"" + http.ask("POST /ticket", "") + "\"}";
            }
        }
        try (var peer = new SocketPeer(server.port(), headers)) {
            String decision = peer.connect(auth);
            assertTrue(decision.startsWith(guesses ? "44{" : "40{\"sid\":"), decision);
            if (!guesses) {
                peer.leave();
            }
        }
    }

    // ---- locks of the program

    private static Stream<Arguments> locks() {
        return Stream.of(TransportKind.IO_URING, TransportKind.EPOLL, TransportKind.NIO)
                .flatMap(
                        transport ->
                                Stream.of(Kind.values())
                                        .map(kind -> Arguments.of(transport, kind)));
    }

    @ParameterizedTest
    @MethodSource("locks")
    void aLockOfHandlersRoutesAndMonitors(TransportKind transport, Kind kind) throws Exception {
        locked(transport, kind, 1);
    }

    @Tag("heavy")
    @ParameterizedTest
    @MethodSource("locks")
    void aLockOfHandlersRoutesAndMonitorsForLonger(TransportKind transport, Kind kind)
            throws Exception {
        locked(transport, kind, ROUNDS);
    }

    private void locked(TransportKind transport, Kind kind, int rounds) throws Exception {
        boolean recovers = kind.ordinal() % 2 == 0;
        var program = new Program(kind.create());
        start(
                transport,
                program,
                c ->
                        c.recovery(Duration.ofMinutes(recovers ? 1 : 0))
                                .presence("all")
                                .history("all", 10, Duration.ofMinutes(1))
                                .address(program::address),
                program::addTo);
        program.addTo(live);
        for (int round = 0; round < rounds; round++) {
            atOnce(CLIENTS, this::talk);
        }
        await("all have left", () -> live.clients().isEmpty() && live.rooms().isEmpty());
        await("a close for each client", () -> program.isAt(CLIENTS * rounds));
        await("nobody is present", () -> live.presence("all").members().isEmpty());
    }

    /** A client that uses all that takes the lock, and is answered in order. */
    private void talk(int number) throws IOException {
        var expected = new HashMap<String, Integer>();
        try (var http = new Poller(server.port());
                var peer = new SocketPeer(server.port())) {
            String decision = peer.connect("");
            assertTrue(decision.startsWith("40{\"sid\":"), decision);
            expected.put("noted", 0);
            expected.put("answer", 0);
            expected.put("told", 0);
            for (int i = 0; i < EVENTS; i++) {
                peer.send("42[\"note\"," + i + "]").send("42" + i + "[\"ask\"," + i + "]");
                for (String path : List.of("/inline", "/virtual")) {
                    String text = path + " " + number + " " + i;
                    String query = "?n=" + number + "&i=" + i;
                    assertEquals(text, http.ask("GET " + path + query, ""));
                }
                while (expected.get("noted") <= i || expected.get("answer") <= i) {
                    take(peer.next(), expected);
                }
            }
            peer.leave();
        }
    }

    /** Checks that none of a kind is missing, or comes twice, or overtakes another. */
    private static void take(String packet, Map<String, Integer> expected) {
        boolean answer = packet.startsWith("43");
        String[] parts = packet.split("[\\[\",\\]]+");
        String event = answer ? "answer" : parts[1];
        if (event.startsWith("sirocco:")) {
            assertEquals("sirocco:presence", event, packet);
            return;
        }
        int number = Integer.parseInt(answer ? parts[0].substring(2) : parts[2]);
        assertEquals(expected.getOrDefault(event, number), number, packet);
        expected.put(event, number + 1);
    }

    /** Takes its lock wherever it is called, and sends while it holds it. Any thread. */
    private final class Program implements Monitor {
        private final Consumer<Runnable> lock;
        private final Map<Client, Integer> told = new HashMap<>(); // with the lock, as the next
        private int sent;
        private int connects;
        private int closes;
        private int connections;

        Program(Consumer<Runnable> lock) {
            this.lock = lock;
        }

        private void sendToAll() {
            live.room("all").send("heard", sent++);
        }

        boolean isAt(int clients) {
            var is = new AtomicBoolean();
            lock.accept(
                    () -> {
                        boolean closed = connections == 0 && told.isEmpty();
                        is.set(closed && connects == clients && closes == clients);
                    });
            return is.get();
        }

        // ---- on the loop

        String address(Request request) {
            lock.accept(() -> {});
            return "192.0.2.1";
        }

        @Override
        public void opened(OpenedConnection connection) {
            lock.accept(() -> connections++);
        }

        @Override
        public void closed(ClosedConnection connection) {
            lock.accept(() -> connections--);
        }

        @Override
        public void completed(CompletedRequest request) {
            lock.accept(this::sendToAll);
        }

        void addTo(Routes routes) {
            routes.route("GET", "/inline", this::respond).executionMode(ExecutionMode.INLINE);
            routes.route("GET", "/virtual", this::respond);
        }

        private Response respond(Request request) {
            lock.accept(this::sendToAll);
            String number = request.query("n").orElse("") + " " + request.query("i").orElse("");
            return Response.text(request.path() + " " + number);
        }

        // ---- on virtual threads

        void addTo(Live live) {
            live.onConnect(
                    client ->
                            lock.accept(
                                    () -> {
                                        connects++;
                                        told.put(client, 0);
                                        client.join("all");
                                        sendToAll();
                                    }));
            live.onClose(
                    (client, reason) ->
                            lock.accept(
                                    () -> {
                                        closes++;
                                        told.remove(client);
                                        sendToAll();
                                    }));
            live.on("note", (client, a) -> note(client, a.asInt(0)));
            live.onRequest("ask", (client, a) -> ask(client, a.asInt(0)));
        }

        private void note(Client client, int number) {
            lock.accept(() -> client.send("noted", number));
            String room = "some " + number % 3;
            if (number % 2 == 0) {
                client.join(room);
            } else {
                client.rooms().stream().filter(r -> !r.equals("all")).forEach(client::leave);
            }
        }

        /** Tells everybody else, one by one. */
        private int ask(Client client, int number) {
            lock.accept(
                    () ->
                            told.replaceAll(
                                    (other, count) -> {
                                        other.send("told", count);
                                        return count + 1;
                                    }));
            live.room("all").history(5);
            return number;
        }
    }
}

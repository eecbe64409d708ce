// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.OnAllTransports;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/**
 * What a run asks is what was told, and what it reports is what the server did: to the last one.
 */
@OnAllTransports
class HttpBenchTest {
    @Parameter TransportKind transport;

    @Test
    void requestsStatusesAndBytesAreCountedExactly() throws Exception {
        List<Call> calls = List.of(Runs.get("/small"), Runs.get("/nothing"), Runs.get("/large"));
        try (Server server =
                Server.start(
                        c -> c.listen(new InetSocketAddress("127.0.0.1", 0)).loops(1),
                        routes -> {
                            routes.get("/small", request -> Response.text("small"));
                            routes.get("/large", request -> Response.bytes(new byte[100_000]));
                        })) {
            var address = (InetSocketAddress) server.addresses().getFirst();
            long[] lengths = new long[3];
            for (int i = 0; i < 3; i++) {
                lengths[i] =
                        Runs.run(transport, address, List.of(calls.get(i)), 1, load -> {})
                                .bytesIn();
            }
            assertTrue(lengths[0] > 50 && lengths[2] > 100_000);
            Result result =
                    Runs.run(
                            transport,
                            address,
                            calls,
                            1000,
                            load -> load.loops(2).connections(7).pipeline(16));
            assertEquals(1000, result.requests());
            assertEquals(1000, result.latency().getTotalCount());
            assertEquals(Map.of(), result.failures());
            // in turn on each loop: 167, 167 and 166 of 500
            assertEquals(Map.of(200, 666L, 404, 334L), result.statuses());
            assertEquals(334 * lengths[0] + 334 * lengths[1] + 332 * lengths[2], result.bytesIn());
            long out = 0;
            for (int i = 0; i < 3; i++) {
                out += (i == 2 ? 332 : 334) * (long) calls.get(i).bytes().length;
            }
            assertEquals(out, result.bytesOut());
            long inSeconds = result.overTime().stream().mapToLong(Result.Second::requests).sum();
            assertEquals(1000, inSeconds);
            assertTrue(result.elapsed().compareTo(Runs.LONG) < 0, "it ended when all was answered");
        }
    }

    @Test
    void theServerIsAskedForNoMoreThanThat() throws Exception {
        try (var server = Scripted.answering(Scripted.OK)) {
            Runs.run(transport, server.address(), 100, load -> load.loops(2).connections(10));
            assertEquals(100, server.requests.get());
        }
    }

    @Test
    void aLoopWithoutAShareOfTheRequestsIsNotWaitedFor() throws Exception {
        try (var server = Scripted.answering(Scripted.OK)) {
            Result result =
                    Runs.run(
                            transport,
                            server.address(),
                            1,
                            load -> load.loops(2).connections(4).warmUp(Duration.ofMillis(100)));
            assertEquals(1, result.requests());
            assertTrue(result.elapsed().compareTo(Runs.LONG) < 0, "it ended when all was answered");
        }
    }

    /** The server answers none before all of them are there. */
    @Test
    void pipelinedRequestsLeaveTogetherAndInOrder() throws Exception {
        Queue<String> asked = new ConcurrentLinkedQueue<>();
        try (var server =
                new Scripted(
                        peer -> {
                            for (int count : new int[] {5, 5, 2}) {
                                var answers = new StringBuilder();
                                for (int i = 0; i < count; i++) {
                                    String target = peer.target();
                                    asked.add(target);
                                    answers.append(
                                            "HTTP/1.1 20%s OK\nContent-Length: %d\n\n"
                                                    .formatted(target.substring(1), i * 1000));
                                    answers.append("x".repeat(i * 1000));
                                }
                                peer.send(answers.toString());
                            }
                            peer.untilEnd();
                        })) {
            Result result =
                    Runs.run(
                            transport,
                            server.address(),
                            Runs.numbered(3),
                            12,
                            load -> load.pipeline(5));
            assertEquals(
                    IntStream.range(0, 12).mapToObj(i -> "/" + i % 3).toList(), List.copyOf(asked));
            assertEquals(Map.of(200, 4L, 201, 4L, 202, 4L), result.statuses());
            assertEquals(Map.of(), result.failures());
        }
    }

    /** Taken for the answer to another request, each of these would end somewhere else. */
    @Test
    void theAnswerToHeadIsReadAsSuch() throws Exception {
        Call head = Call.of("HEAD", "test", "/head", Map.of(), new byte[0]);
        try (var server =
                new Scripted(
                        peer -> {
                            for (String request; (request = peer.request()) != null; ) {
                                peer.send("HTTP/1.1 200 OK\nContent-Length: 400\n\n");
                                peer.send(request.startsWith("HEAD") ? "" : "x".repeat(400));
                            }
                        })) {
            List<Call> calls = List.of(head, Runs.get("/"), head, head);
            Result result =
                    Runs.run(transport, server.address(), calls, 101, load -> load.pipeline(7));
            assertEquals(Map.of(200, 101L), result.statuses());
            assertEquals(Map.of(), result.failures());
            assertEquals(101 * 40 + 25 * 400, result.bytesIn());
        }
    }

    @Test
    void withCloseEachRequestHasAConnectionAndTheServerEndsIt() throws Exception {
        Queue<String> early = new ConcurrentLinkedQueue<>();
        try (var server =
                new Scripted(
                        peer -> {
                            assertTrue(peer.request().contains("\r\nConnection: close\r\n"));
                            peer.send(Scripted.OK);
                            if (peer.number == 4) {
                                return; // all is answered: the run may end before this does
                            }
                            peer.socket().setSoTimeout(100);
                            try {
                                early.add("ended by the client: " + peer.untilEnd());
                            } catch (SocketTimeoutException e) {
                                // it waits
                            }
                        })) {
            Result result = Runs.run(transport, server.address(), 5, load -> load.close(true));
            assertEquals(5, result.requests());
            assertEquals(Map.of(), result.failures());
            assertEquals(5, server.connections.get());
            assertEquals(List.of(), List.copyOf(early));
        }
    }

    @Test
    void whoClosesAndSaysSoIsConnectedToAgain() throws Exception {
        String last = "HTTP/1.1 200 OK\nConnection: close\nContent-Length: 2\n\nok";
        try (var server =
                new Scripted(
                        peer -> {
                            for (int i = 0; i < 10 && peer.request() != null; i++) {
                                peer.send(i < 9 ? Scripted.OK : last);
                            }
                        })) {
            Result result = Runs.run(transport, server.address(), 95, load -> load.connections(3));
            assertEquals(95, result.requests());
            assertEquals(Map.of(), result.failures());
            assertEquals(95, server.requests.get());
            assertTrue(server.connections.get() >= 10, () -> server.connections + " connections");
        }
    }

    /** Between its last answer and its end there is room for a request, and that is lost. */
    @Test
    void whoClosesWithoutAWordLosesWhatIsUnderWayAndNoMore() throws Exception {
        try (var server =
                new Scripted(
                        peer -> {
                            for (int i = 0; i < 10 && peer.request() != null; i++) {
                                peer.send(Scripted.OK);
                            }
                        })) {
            Result result = Runs.run(transport, server.address(), 95, load -> load.connections(3));
            assertEquals(95, result.requests() + result.failed(), result.failures()::toString);
            assertTrue(result.requests() > result.failed());
            assertTrue(result.failures().keySet().stream().noneMatch(f -> f == Failure.TIMEOUT));
        }
    }

    @Test
    void connectionsComeFromTheSourcesInTurn() throws Exception {
        var seen = new ConcurrentLinkedQueue<InetAddress>();
        var all = new CountDownLatch(6); // are there before the first is answered
        List<InetAddress> sources =
                IntStream.range(2, 6).mapToObj(i -> InetAddress.ofLiteral("127.0.0." + i)).toList();
        try (var server =
                new Scripted(
                        peer -> {
                            seen.add(peer.from());
                            while (peer.request() != null) {
                                all.countDown();
                                all.await();
                                peer.send(Scripted.OK);
                            }
                        })) {
            Runs.run(
                    transport,
                    server.address(),
                    100,
                    load -> load.loops(2).connections(6).sources(sources));
            List<Long> counts =
                    sources.stream()
                            .map(source -> seen.stream().filter(source::equals).count())
                            .toList();
            assertEquals(List.of(2L, 2L, 1L, 1L), counts);
            assertEquals(6, seen.size());
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sirocco.http.BodyWriter;
import io.sirocco.http.Response;
import io.sirocco.http.Server;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

/**
 * Each blocking call of the client, interrupted, gives its connection back: the handler's timeout
 * does that to every handler that waits for another server.
 */
@Timeout(60)
class InterruptedCallsTest {
    interface Call {
        void run(HttpClient client, String url, CountDownLatch waits) throws Exception;
    }

    private static ClientResponse halfSent(HttpClient client, String url, CountDownLatch waits)
            throws Exception {
        ClientResponse response = client.send(ClientRequest.get(url + "/half"));
        waits.countDown();
        return response;
    }

    private static Map<String, Call> calls() {
        var all = new LinkedHashMap<String, Call>();
        all.put("bytes", (client, url, waits) -> halfSent(client, url, waits).body().bytes());
        all.put("bytes(n)", (client, url, waits) -> halfSent(client, url, waits).body().bytes(99));
        all.put("text", (client, url, waits) -> halfSent(client, url, waits).body().text());
        all.put("text(n)", (client, url, waits) -> halfSent(client, url, waits).body().text(99));
        all.put(
                "read",
                (client, url, waits) ->
                        halfSent(client, url, waits).body().inputStream().readAllBytes());
        all.put(
                "transferTo",
                (client, url, waits) ->
                        halfSent(client, url, waits)
                                .body()
                                .inputStream()
                                .transferTo(java.io.OutputStream.nullOutputStream()));
        all.put(
                "send",
                (client, url, waits) -> {
                    waits.countDown();
                    client.send(ClientRequest.get(url + "/never"));
                });
        all.put(
                "send that waits for a connection",
                (client, url, waits) -> {
                    ClientResponse first = client.send(ClientRequest.get(url + "/half"));
                    try {
                        waits.countDown();
                        client.send(ClientRequest.get(url + "/hello"));
                    } finally {
                        first.close();
                    }
                });
        all.put(
                "send of a body that nobody takes",
                (client, url, waits) -> {
                    waits.countDown();
                    client.send(
                            ClientRequest.of("POST", url + "/never")
                                    .body((BodyWriter) out -> out.write(new byte[32 << 20])));
                });
        all.put(
                "send of an interrupted thread",
                (client, url, waits) -> {
                    waits.countDown();
                    while (!Thread.currentThread().isInterrupted()) {
                        LockSupport.park();
                    }
                    client.send(ClientRequest.get(url + "/half"));
                });
        return all;
    }

    @Test
    void anInterruptedCallLeavesThePoolIdle() throws Exception {
        var held = new CountDownLatch(1);
        try (Server server =
                        Server.start(
                                c ->
                                        c.listen(new InetSocketAddress("127.0.0.1", 0))
                                                .loops(1)
                                                .maxBodyBytes(-1),
                                routes ->
                                        routes.get("/hello", r -> Response.text("hello"))
                                                .get(
                                                        "/half",
                                                        r ->
                                                                Response.stream(
                                                                        out -> {
                                                                            out.write('a');
                                                                            out.flush();
                                                                            held.await();
                                                                        }))
                                                .any(
                                                        "/never",
                                                        r -> {
                                                            held.await();
                                                            return Response.empty(204);
                                                        }));
                HttpClient client = HttpClient.create(s -> s.maxConnectionsPerOrigin(1))) {
            String url = "http://127.0.0.1:" + server.port();
            for (var call : calls().entrySet()) {
                for (int i = 0; i < 5; i++) {
                    var waits = new CountDownLatch(1);
                    Executable interrupted = () -> call.getValue().run(client, url, waits);
                    var task =
                            new FutureTask<>(
                                    () -> {
                                        Exception thrown =
                                                assertThrows(
                                                        Exception.class,
                                                        interrupted,
                                                        call.getKey());
                                        return thrown instanceof InterruptedException
                                                || thrown instanceof InterruptedIOException;
                                    });
                    Thread thread = Thread.ofVirtual().start(task);
                    waits.await();
                    thread.interrupt();
                    assertEquals(true, task.get(), call.getKey());
                    assertEquals(
                            "hello",
                            client.send(ClientRequest.get(url + "/hello")).body().text(),
                            call.getKey());
                }
            }
            held.countDown();
        }
    }

    /** The interrupt and the response arrive together, in one order or the other. */
    @Test
    void aResponseThatComesWithTheInterruptIsGivenBack() throws Exception {
        interrupted(200);
    }

    @Tag("heavy")
    @Test
    void thousandsOfResponsesThatComeWithTheInterruptAreGivenBack() throws Exception {
        interrupted(2_000);
    }

    private static void interrupted(int times) throws Exception {
        var held = new CountDownLatch(1);
        try (Server server =
                        Server.start(
                                c -> c.listen(new InetSocketAddress("127.0.0.1", 0)).loops(1),
                                routes ->
                                        routes.get("/hello", r -> Response.text("hello"))
                                                .get(
                                                        "/half",
                                                        r ->
                                                                Response.stream(
                                                                        out -> {
                                                                            out.write('a');
                                                                            out.flush();
                                                                            held.await();
                                                                        })));
                HttpClient client = HttpClient.create(s -> s.maxConnectionsPerOrigin(1))) {
            String url = "http://127.0.0.1:" + server.port();
            for (int i = 0; i < times; i++) {
                var sends = new CountDownLatch(1);
                Thread thread =
                        Thread.ofPlatform()
                                .start(
                                        () -> {
                                            sends.countDown();
                                            try {
                                                client.send(ClientRequest.get(url + "/half"))
                                                        .close();
                                            } catch (IOException | InterruptedException e) {
                                                // the latter, as a rule
                                            }
                                        });
                sends.await();
                long until = System.nanoTime() + i % 100 * 5_000;
                while (System.nanoTime() < until) {
                    Thread.onSpinWait();
                }
                thread.interrupt();
                thread.join();
                assertEquals("hello", client.send(ClientRequest.get(url + "/hello")).body().text());
            }
            held.countDown();
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.heavy;

import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.live.Arguments;
import io.sirocco.live.Live;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Scanner;

/**
 * A service in a JVM of its own, which {@code sirocco bench live} knows, too: prints its port, then
 * obeys lines.
 */
final class LoadServer {

    private LoadServer() {}

    public static void main(String[] arguments) {
        Live live =
                Live.create(
                        c -> {
                            c.anyConnects();
                            if (arguments[0].equals("tickets")) {
                                c.tickets(Duration.ofSeconds(30));
                            }
                        });
        live.onRequest("echo", (client, all) -> all);
        live.onRequest(
                "join",
                (client, all) -> {
                    client.join(all.asString(0));
                    return Arguments.none();
                });
        live.onRequest(
                "publish",
                (client, all) -> {
                    client.room(all.asString(0)).send(all.asString(1), all.values(2));
                    return Arguments.none();
                });
        Server server =
                Server.start(
                        c ->
                                c.listen(
                                        new InetSocketAddress(
                                                "127.0.0.1", Integer.getInteger("port", 0))),
                        routes ->
                                routes.mount("/socket.io", live)
                                        .get("/ticket", r -> Response.text(live.ticket("ada")))
                                        .post(
                                                "/ticket",
                                                r ->
                                                        Response.json(
                                                                "{\"ticket\":\""
                                                                        + live.ticket("")
                                                                        + "\"}")));
        System.out.println(server.port());
        var in = new Scanner(System.in);
        while (in.hasNext()) {
            switch (in.next()) {
                case "clients" -> System.out.println(live.clients().size());
                case "send" -> {
                    int messages = in.nextInt();
                    String text = "x".repeat(in.nextInt());
                    long began = System.nanoTime();
                    for (int i = 0; i < messages; i++) {
                        live.broadcast("m", i, text);
                    }
                    System.out.println((System.nanoTime() - began) / 1_000);
                }
                case "pace" -> pace(live, in.nextInt(), in.nextInt());
                case "cpu" ->
                        System.out.println(
                                ProcessHandle.current()
                                        .info()
                                        .totalCpuDuration()
                                        .orElse(Duration.ZERO)
                                        .toMillis());
                default -> System.out.println("?");
            }
        }
        System.exit(0);
    }

    /** So many messages, one each so many microseconds. */
    private static void pace(Live live, int messages, int micros) {
        long began = System.nanoTime();
        for (int i = 0; i < messages; i++) {
            while (System.nanoTime() - began < i * 1_000L * micros) {
                Thread.yield();
            }
            live.broadcast("m", System.nanoTime());
        }
        System.out.println((System.nanoTime() - began) / 1_000);
    }
}

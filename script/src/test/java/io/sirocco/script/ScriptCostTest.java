// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sirocco.http.Server;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Prints what scripts cost, for docs/scripts.md: for requests of one connection, each alone, and of
 * 64 at once. Proves nothing.
 */
@ExtendWith(LoadedLanguage.class)
@Tag("heavy")
class ScriptCostTest {
    private static final int N = 64_000; // requests of a round
    private static final int ROUNDS = 6;
    private static final String REQUEST =
            "GET /PATH HTTP/1.1\r\nHost: a\r\nUser-Agent: test\r\nAccept: */*\r\n"
                    + "Accept-Language: es, fr;q=0.8, en;q=0.7\r\n\r\n";

    @Test
    void printsTheCost(@TempDir Path folder) throws Exception {
        Site.write(
                folder,
                "greeting.js",
                """
                const greetings = { es: "Hola", fr: "Bonjour", en: "Hello" };
                export function generateResponse(request) {
                    const language = request.languages.find((each) => each in greetings) ?? "en";
                    return { body: { greeting: greetings[language], language, path: request.path } };
                }
                """);
        long began = System.nanoTime();
        try (Scripts scripts = Scripts.of(folder)) {
            scripts.ready().toCompletableFuture().join();
            print("first context, ms", (System.nanoTime() - began) / 1e6);
            for (int i = 0; i < 5; i++) {
                began = System.nanoTime();
                try (Scripts others = Scripts.of(folder)) {
                    others.ready().toCompletableFuture().join();
                    print("another context, ms", (System.nanoTime() - began) / 1e6);
                }
            }
            try (Server server =
                    Server.start(
                            c -> c.listen(new InetSocketAddress("127.0.0.1", 0)).loops(1),
                            routes -> routes.filter(scripts).any("/*", Site.ECHO))) {
                for (int round = 0; round < ROUNDS; round++) {
                    printCost(server.port(), 64);
                    printCost(server.port(), 1);
                }
            }
        }
    }

    private static void printCost(int port, int connections) throws Exception {
        Cost handler = cost(port, "handler", connections);
        Cost script = cost(port, "greeting", connections);
        String of = connections + " at once: ";
        print(of + "threads of scripts, CPU in us", script.scripts);
        print(of + "loop, CPU in us", script.loop);
        print(of + "loop for a handler, CPU in us", handler.loop);
        print(of + "what the script costs, CPU in us", script.scripts + script.loop - handler.loop);
    }

    /** CPU time of threads for a request, in microseconds. */
    private record Cost(double scripts, double loop) {}

    private static void print(String what, double figure) {
        System.out.printf("%-50s %8.2f%n", what, figure);
    }

    private static double micros(String name) {
        var threads = ManagementFactory.getThreadMXBean();
        long sum = 0;
        for (var info : threads.getThreadInfo(threads.getAllThreadIds())) {
            if (info != null && info.getThreadName().equals(name)) {
                sum += Math.max(0, threads.getThreadCpuTime(info.getThreadId()));
            }
        }
        return sum / 1e3;
    }

    /** Sends a request on each connection, reads all responses, and begins again. */
    private static Cost cost(int port, String path, int connections) throws Exception {
        byte[] request = REQUEST.replace("PATH", path).getBytes();
        byte[] buffer = new byte[64 << 10];
        var sockets = new ArrayList<Socket>();
        try {
            for (int i = 0; i < connections; i++) {
                var socket = new Socket("127.0.0.1", port);
                sockets.add(socket);
                socket.setTcpNoDelay(true);
            }
            double scripts = micros("sirocco-script");
            double loop = micros("sirocco-loop-0");
            for (int i = 0; i < N / connections; i++) {
                for (Socket each : sockets) {
                    each.getOutputStream().write(request);
                }
                for (Socket each : sockets) {
                    each.getInputStream().read(buffer);
                    assertEquals(200, Integer.parseInt(new String(buffer, 9, 3)));
                }
            }
            return new Cost(
                    (micros("sirocco-script") - scripts) / N,
                    (micros("sirocco-loop-0") - loop) / N);
        } finally {
            for (Socket each : sockets) {
                each.close();
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.OperatingSystemMXBean;
import io.sirocco.http.Server;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Prints what scripts cost, for docs/scripts.md. Proves nothing. */
@Tag("heavy")
class ScriptCostTest {
    private static final int DEPTH = 32; // requests in a row on one connection
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
        try (Scripts scripts = Scripts.of(folder, options -> options.contexts(1))) {
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
                for (int round = 0; round < 6; round++) {
                    double handler = cpu(server.port(), "handler");
                    long thread = scriptThread();
                    double script = cpu(server.port(), "greeting");
                    print("thread of the script, CPU in us", (scriptThread() - thread) / 1e3 / N);
                    print("a request to the script, CPU in us of the process", script);
                    print("a request to a handler, CPU in us of the process", handler);
                }
            }
        }
    }

    private static final int N = 40_000;

    private static void print(String what, double figure) {
        System.out.printf("%-50s %8.2f%n", what, figure);
    }

    private static long scriptThread() {
        var threads = ManagementFactory.getThreadMXBean();
        long sum = 0;
        for (var info : threads.getThreadInfo(threads.getAllThreadIds())) {
            if (info != null && info.getThreadName().equals("sirocco-script")) {
                sum += Math.max(0, threads.getThreadCpuTime(info.getThreadId()));
            }
        }
        return sum;
    }

    /** Returns the CPU time of the whole process for a request, this client included. */
    private static double cpu(int port, String path) throws Exception {
        var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        byte[] one = REQUEST.replace("PATH", path).getBytes();
        byte[] many = new byte[one.length * DEPTH];
        for (int i = 0; i < DEPTH; i++) {
            System.arraycopy(one, 0, many, i * one.length, one.length);
        }
        try (var socket = new Socket("127.0.0.1", port)) {
            socket.setTcpNoDelay(true);
            OutputStream out = socket.getOutputStream();
            InputStream in = socket.getInputStream();
            out.write(one);
            byte[] buffer = new byte[64 << 10];
            int length = in.read(buffer);
            assertEquals(200, Integer.parseInt(new String(buffer, 9, 3)));
            long before = system.getProcessCpuTime();
            for (int i = 0; i < N / DEPTH; i++) {
                out.write(many);
                for (int left = length * DEPTH; left > 0; ) {
                    left -= in.read(buffer, 0, Math.min(left, buffer.length));
                }
            }
            return (system.getProcessCpuTime() - before) / 1e3 / N;
        }
    }
}

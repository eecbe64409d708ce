// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.heavy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.ExecutionMode;
import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.InetSocketAddress;
import java.net.Socket;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a request allocates on its loop once the compiler has seen enough of them. */
@Tag("heavy")
@Timeout(300)
final class AllocationTest {
    private static final int REQUESTS = 100_000;

    @ParameterizedTest
    @CsvSource({
        "IO_URING, /inline, 300",
        "IO_URING, /virtual, 600",
        "NIO, /inline, 350",
        "NIO, /virtual, 700"
    })
    void aRequestAllocatesLittle(TransportKind transport, String path, int most) throws Exception {
        try (Server server =
                Server.start(
                        config ->
                                config.listen(new InetSocketAddress("127.0.0.1", 0))
                                        .loops(1)
                                        .name("allocation")
                                        .transport(transport),
                        routes -> {
                            routes.route("GET", "/inline", r -> Response.text("Hello, World!"))
                                    .executionMode(ExecutionMode.INLINE);
                            routes.get("/virtual", r -> Response.text("Hello, World!"));
                        })) {
            long loop = loopThread();
            ask(server.port(), path); // as long as the compiler takes
            ask(server.port(), path);
            long before = allocatedBy(loop);
            ask(server.port(), path);
            long each = (allocatedBy(loop) - before) / REQUESTS;
            System.out.println(transport + " " + path + ": " + each + " bytes each request");
            assertTrue(each <= most, each + " bytes");
        }
    }

    /** By reflection: the module of the server has no need of the one that counts. */
    private static long allocatedBy(long thread) throws ReflectiveOperationException {
        Object threads =
                Class.forName("java.lang.management.ManagementFactory")
                        .getMethod("getThreadMXBean")
                        .invoke(null);
        Method count =
                Class.forName("com.sun.management.ThreadMXBean")
                        .getMethod("getThreadAllocatedBytes", long.class);
        return (long) count.invoke(threads, thread);
    }

    private static long loopThread() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("allocation-loop"))
                .findFirst()
                .orElseThrow()
                .threadId();
    }

    private static void ask(int port, String path) throws IOException {
        byte[] request = ("GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n").getBytes(ISO_8859_1);
        byte[] response = new byte[4096];
        try (Socket client = new Socket("127.0.0.1", port)) {
            client.setTcpNoDelay(true);
            for (int i = 0; i < REQUESTS; i++) {
                client.getOutputStream().write(request);
                int end = 0;
                while (end < 4 || !ends(response, end)) {
                    end += client.getInputStream().read(response, end, response.length - end);
                }
            }
        }
    }

    private static boolean ends(byte[] response, int end) {
        return new String(response, end - 4, 4, ISO_8859_1).equals("rld!");
    }
}

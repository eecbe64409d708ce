// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy.heavy;

import io.sirocco.http.Response;
import io.sirocco.http.Server;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A server that fails as it is told, in a JVM of its own. Argument: its port, or 0. Prints its
 * port; then {@code well}, {@code slow} and {@code truncate} say how it responds from then on, and
 * are responded to by how many responses it has truncated.
 */
public final class ChaosServer {
    private static final byte[] PAGE = new byte[2000];
    private static final AtomicInteger TRUNCATED = new AtomicInteger();
    private static volatile String mode = "well";

    private ChaosServer() {}

    public static void main(String[] arguments) throws IOException {
        int port = Integer.parseInt(arguments[0]);
        Server server =
                Server.start(
                        config -> config.listen(new InetSocketAddress("127.0.0.1", port)).loops(1),
                        routes -> routes.get("/page", request -> page()));
        System.out.println(server.port());
        var input = new BufferedReader(new InputStreamReader(System.in));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            mode = line;
            System.out.println(TRUNCATED);
        }
        server.close();
    }

    private static Response page() throws InterruptedException {
        switch (mode) {
            case "slow" -> Thread.sleep(300);
            case "truncate" -> {
                TRUNCATED.incrementAndGet();
                return Response.stream(
                        PAGE.length,
                        out -> {
                            out.write(PAGE, 0, PAGE.length / 2);
                            out.flush();
                            Thread.sleep(5); // or the beginning would be discarded with the rest
                            throw new IOException("truncated");
                        });
            }
            default -> {}
        }
        return Response.bytes(PAGE);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import io.sirocco.bench.Failure;
import io.sirocco.bench.Result;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** A generator that asks everything a few times, whatever the time, on a connection each. */
record FewRequests(int times) implements Generator {
    @Override
    public Result run(Work work, InetSocketAddress server, Duration time) throws IOException {
        var latency = new Histogram(3);
        long bytes = 0;
        for (int i = 0; i < times; i++) {
            for (Exchange exchange : work.exchanges()) {
                long began = System.nanoTime();
                bytes += ask(exchange, server);
                latency.recordValue(System.nanoTime() - began);
            }
        }
        long requests = latency.getTotalCount();
        Map<Failure, Long> none = Map.of();
        return new Result(
                Duration.ofSeconds(1),
                requests,
                bytes,
                0,
                latency,
                Map.of(200, requests),
                none,
                List.of(),
                0.5);
    }

    private static int ask(Exchange exchange, InetSocketAddress server) throws IOException {
        try (var socket = new Socket(server.getAddress(), server.getPort())) {
            String request =
                    "GET %s HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                            .formatted(exchange.path());
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return Reply.read(new BufferedInputStream(socket.getInputStream())).body().length;
        }
    }
}

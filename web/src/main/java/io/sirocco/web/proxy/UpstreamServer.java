// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.http.client.HttpOrigin;
import io.sirocco.web.metrics.LatencyCounts;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** One server of an {@link Upstream}: an address, and what is known of it. Any thread. */
final class UpstreamServer {
    final String name; // for logs: its URL, and its address if the host has several
    final HttpOrigin origin;
    final String authority; // of its URL
    volatile int weight;
    final boolean backup;
    final String id; // for sticky cookies: the same after a restart, and says nothing
    final long hash;
    final ServerHealth health;
    final AtomicInteger inProgress = new AtomicInteger(); // with tunnels
    final AtomicInteger tunnels = new AtomicInteger();
    final LongAdder requests = new LongAdder();
    final LongAdder failures = new LongAdder();
    final LatencyCounts latency = new LatencyCounts(); // until the headers of the response

    UpstreamServer(
            UpstreamSettings.Server configured,
            String name,
            HttpOrigin origin,
            ServerHealth health) {
        this.name = name;
        this.origin = origin;
        this.authority = configured.origin().authority();
        this.weight = configured.weight();
        this.backup = configured.backup();
        this.health = health;
        byte[] digest = digest(name);
        this.id = HexFormat.of().formatHex(digest, 0, 8);
        long bits = 0;
        for (int i = 8; i < 16; i++) {
            bits = bits << 8 | digest[i] & 0xff;
        }
        this.hash = bits;
    }

    private static byte[] digest(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e); // every JDK has it
        }
    }

    @Override
    public String toString() {
        return name;
    }
}

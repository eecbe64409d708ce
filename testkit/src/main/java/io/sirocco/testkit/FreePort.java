// SPDX-License-Identifier: Apache-2.0
package io.sirocco.testkit;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ports for tests that have to name one before a server binds it, or that need one where nobody
 * listens. They lie below those that Linux gives to sockets that ask for any (from 32768 on), so
 * that no other socket of a test takes one in the meantime, and a JVM returns none twice as long as
 * there are others. Any thread.
 */
public final class FreePort {
    private static final int LOWEST = 20_000;
    private static final int COUNT = 12_000;
    private static final AtomicInteger NEXT =
            new AtomicInteger(ThreadLocalRandom.current().nextInt(COUNT));

    private FreePort() {}

    private interface Bind {
        AutoCloseable at(int port) throws IOException;
    }

    /** Returns a TCP port that is free on all addresses. */
    public static int tcp() {
        return find("TCP", ServerSocket::new);
    }

    /** Returns a TCP port that is free on all addresses, with the address 127.0.0.1. */
    public static InetSocketAddress tcpAddress() {
        return loopback(tcp());
    }

    /** Returns a UDP port that is free on all addresses. */
    public static int udp() {
        return find("UDP", DatagramSocket::new);
    }

    /** Returns a UDP port that is free on all addresses, with the address 127.0.0.1. */
    public static InetSocketAddress udpAddress() {
        return loopback(udp());
    }

    private static InetSocketAddress loopback(int port) {
        return new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port);
    }

    private static int find(String protocol, Bind bind) {
        for (int i = 0; i < COUNT; i++) {
            int port = LOWEST + Math.floorMod(NEXT.getAndIncrement(), COUNT);
            try (var _ = bind.at(port)) {
                return port;
            } catch (Exception e) {
                // it is in use
            }
        }
        throw new IllegalStateException("no " + protocol + " port from " + LOWEST + " on is free");
    }
}

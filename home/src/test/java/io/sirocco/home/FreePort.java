// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/** Ports that are free when the test asks for them. Any thread. */
public final class FreePort {
    private FreePort() {}

    /** Returns a port of TCP on 127.0.0.1. */
    public static int tcp() {
        try (var socket = new ServerSocket(0, 1, CluRig.LOOPBACK)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns a port of UDP that is free on all addresses. */
    public static int udp() {
        try (var socket = new DatagramSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns a free port of UDP with the address 127.0.0.1. */
    static InetSocketAddress udpAddress() {
        return new InetSocketAddress(CluRig.LOOPBACK, udp());
    }
}

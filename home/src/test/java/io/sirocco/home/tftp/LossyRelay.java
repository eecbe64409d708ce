// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.tftp;

import io.sirocco.net.Rig;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A network between one client and one server that loses some packets, brings some twice, and some
 * after the next one. Packets of the first transfer pass; those of another one, which a late copy
 * of the request began, do not: the client would refuse them. Any thread.
 */
final class LossyRelay implements AutoCloseable {
    final AtomicInteger lost = new AtomicInteger();
    final AtomicInteger doubled = new AtomicInteger();

    private final DatagramSocket toClient = new DatagramSocket(Rig.anyPort());
    private final DatagramSocket toServer = new DatagramSocket(Rig.anyPort());
    private final int percent;
    private final SocketAddress requests; // where the server listens
    private volatile SocketAddress client;
    private volatile SocketAddress transfer; // the port of the server; null before it responds

    LossyRelay(InetSocketAddress server, int percent, long seed) throws IOException {
        this.requests = server;
        this.percent = percent;
        start(toClient, toServer, true, new Random(seed));
        start(toServer, toClient, false, new Random(~seed));
    }

    InetSocketAddress address() {
        return (InetSocketAddress) toClient.getLocalSocketAddress();
    }

    private void start(DatagramSocket in, DatagramSocket out, boolean up, Random random) {
        Thread.ofPlatform().daemon().start(() -> relay(in, out, up, random));
    }

    private void relay(DatagramSocket in, DatagramSocket out, boolean up, Random random) {
        DatagramPacket late = null;
        try {
            while (true) {
                var packet = new DatagramPacket(new byte[600], 600);
                in.receive(packet);
                SocketAddress to = up ? fromClient(packet) : fromServer(packet);
                if (to == null) {
                    continue;
                }
                packet.setSocketAddress(to);
                int chance = random.nextInt(100);
                if (chance < percent) {
                    lost.incrementAndGet();
                } else if (chance < 2 * percent) {
                    doubled.incrementAndGet();
                    out.send(packet);
                    out.send(packet);
                } else if (chance < 3 * percent && late == null) {
                    late = packet;
                    continue;
                } else {
                    out.send(packet);
                }
                if (late != null) {
                    out.send(late);
                    late = null;
                }
            }
        } catch (IOException e) {
            // closed
        }
    }

    private SocketAddress fromClient(DatagramPacket packet) {
        client = packet.getSocketAddress();
        boolean request =
                Packet.parse(packet.getData(), packet.getLength()) instanceof Packet.Request;
        return request ? requests : transfer;
    }

    private SocketAddress fromServer(DatagramPacket packet) {
        if (transfer == null) {
            transfer = packet.getSocketAddress();
        }
        return packet.getSocketAddress().equals(transfer) ? client : null;
    }

    @Override
    public void close() {
        toClient.close();
        toServer.close();
    }
}

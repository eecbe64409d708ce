// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.dns;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.BindException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** A name server on loopback, over UDP and TCP, whose answers a test makes. Any thread. */
public final class NameServer implements AutoCloseable {
    /** Makes the response to a query; null for none. */
    public interface Zone {
        byte[] answer(byte[] query, boolean tcp);
    }

    public final BlockingQueue<String> queries = new LinkedBlockingQueue<>();
    private final DatagramSocket udp;
    private final ServerSocket tcp;
    private volatile Zone zone;
    private volatile int pause; // between the bytes of a response over TCP, in milliseconds

    public NameServer(Zone zone) throws IOException {
        this.zone = zone;
        this.tcp = new ServerSocket();
        this.udp = bothAtOnePort(tcp);
        Thread.ofPlatform().daemon().start(this::serveUdp);
        Thread.ofPlatform().daemon().start(this::serveTcp);
    }

    /** Binds both: a port that is free for the one may be in use for the other. */
    private static DatagramSocket bothAtOnePort(ServerSocket tcp) throws IOException {
        InetAddress loopback = InetAddress.ofLiteral("127.0.0.1");
        for (int i = 0; ; i++) {
            var udp = new DatagramSocket(0, loopback);
            try {
                tcp.bind(udp.getLocalSocketAddress());
                return udp;
            } catch (BindException e) {
                udp.close();
                if (i == 100) {
                    throw e;
                }
            }
        }
    }

    public void zone(Zone next) {
        zone = next;
    }

    /** Sends responses over TCP byte by byte, with pauses of so many milliseconds. */
    void trickle(int millis) {
        pause = millis;
    }

    public InetSocketAddress address() {
        return (InetSocketAddress) udp.getLocalSocketAddress();
    }

    private void serveUdp() {
        byte[] buffer = new byte[2048];
        try {
            while (true) {
                var packet = new DatagramPacket(buffer, buffer.length);
                udp.receive(packet);
                byte[] query = Arrays.copyOf(buffer, packet.getLength());
                queries.add(name(query));
                byte[] response = zone.answer(query, false);
                if (response != null) {
                    udp.send(
                            new DatagramPacket(
                                    response, response.length, packet.getSocketAddress()));
                }
            }
        } catch (IOException e) {
            // it is closed
        }
    }

    private void serveTcp() {
        try {
            while (true) {
                try (Socket socket = tcp.accept()) {
                    var in = new DataInputStream(socket.getInputStream());
                    byte[] query = new byte[in.readUnsignedShort()];
                    in.readFully(query);
                    queries.add("tcp " + name(query));
                    byte[] response = zone.answer(query, true);
                    var out = new DataOutputStream(socket.getOutputStream());
                    out.writeShort(response.length);
                    for (int i = 0; pause > 0 && i < response.length; i++) {
                        out.write(response[i]);
                        Thread.sleep(pause);
                    }
                    out.write(response, 0, pause > 0 ? 0 : response.length);
                }
            }
        } catch (IOException | InterruptedException e) {
            // it is closed
        }
    }

    /** The name that a query asks for, without a final dot, and its type if that is not A. */
    public static String name(byte[] query) {
        var name = new StringBuilder();
        int at = 12;
        while (query[at] != 0) {
            name.append(new String(query, at + 1, query[at], ISO_8859_1)).append('.');
            at += query[at] + 1;
        }
        int type = query[at + 2];
        name.setLength(Math.max(0, name.length() - 1));
        return type == DnsMessage.A ? name.toString() : name + " " + type;
    }

    /** A response with records; flags are those of the header, 0x8180 for a plain one. */
    public static byte[] response(byte[] query, int flags, byte[]... records) {
        var out = new ByteArrayOutputStream();
        out.writeBytes(query);
        for (byte[] record : records) {
            out.writeBytes(record);
        }
        byte[] all = out.toByteArray();
        ByteBuffer.wrap(all).putShort(2, (short) flags).putShort(6, (short) records.length);
        return all;
    }

    public static boolean isForIpv4(byte[] query) {
        return query[query.length - 3] == DnsMessage.A;
    }

    /** The response with addresses for the name that is asked for, if type A is. */
    public static byte[] address(byte[] query, int seconds, String... addresses) {
        if (!isForIpv4(query)) {
            return response(query, 0x8180);
        }
        return response(
                query,
                0x8180,
                Arrays.stream(addresses)
                        .map(
                                each ->
                                        record(
                                                new byte[] {(byte) 0xc0, 12},
                                                DnsMessage.A,
                                                seconds,
                                                InetAddress.ofLiteral(each).getAddress()))
                        .toArray(byte[][]::new));
    }

    public static byte[] record(byte[] name, int type, int seconds, byte[] data) {
        return ByteBuffer.allocate(name.length + 10 + data.length)
                .put(name)
                .putShort((short) type)
                .putShort((short) 1)
                .putInt(seconds)
                .putShort((short) data.length)
                .put(data)
                .array();
    }

    @Override
    public void close() throws IOException {
        udp.close();
        tcp.close();
    }
}

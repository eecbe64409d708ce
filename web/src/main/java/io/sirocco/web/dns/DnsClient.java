// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.dns;

import io.sirocco.web.dns.DnsMessage.Answer;
import java.io.EOFException;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.time.Duration;

/**
 * Asks name servers, one after the other, over UDP, and over TCP where a response is truncated (RFC
 * 7766). Each query has a socket and a number of its own, both random, so that nobody else can
 * guess what a response must look like (RFC 5452). Blocks. Any thread.
 */
final class DnsClient {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int LONGEST = 65_535;

    private final ResolvConf settings;

    DnsClient(ResolvConf settings) {
        this.settings = settings;
    }

    /**
     * Returns the addresses of a name; {@link Answer.None} if no name of the search list has any.
     *
     * @param type {@link DnsMessage#A} or {@link DnsMessage#AAAA}
     * @throws IOException if no server can say
     */
    Answer ask(String name, int type) throws IOException {
        Answer last = new Answer.None();
        for (String each : settings.candidates(name)) {
            last = askServers(each, type);
            if (last instanceof Answer.Found) {
                return last;
            }
        }
        return last;
    }

    private Answer askServers(String name, int type) throws IOException {
        IOException why = new UnknownHostException("there is no name server");
        for (int attempt = 0; attempt < settings.attempts(); attempt++) {
            for (InetSocketAddress server : settings.servers()) {
                try {
                    Answer answer = ask(server, name, type);
                    if (!(answer instanceof Answer.Failed(int code))) {
                        return answer;
                    }
                    why = new IOException("the name server " + server + " failed: " + code);
                } catch (IOException e) {
                    why = e;
                }
            }
        }
        throw why;
    }

    private Answer ask(InetSocketAddress server, String name, int type) throws IOException {
        byte[] query = DnsMessage.query(RANDOM.nextInt(1 << 16), name, type);
        Answer answer = overUdp(server, query);
        return answer instanceof Answer.Truncated ? overTcp(server, query) : answer;
    }

    private Answer overUdp(InetSocketAddress server, byte[] query) throws IOException {
        long end = System.nanoTime() + settings.timeout().toNanos();
        try (var socket = new DatagramSocket()) {
            socket.connect(server);
            socket.send(new DatagramPacket(query, query.length));
            byte[] buffer = new byte[LONGEST];
            while (true) {
                socket.setSoTimeout(millisTo(end));
                var packet = new DatagramPacket(buffer, buffer.length);
                socket.receive(packet);
                Answer answer = DnsMessage.read(query, buffer, packet.getLength());
                if (!(answer instanceof Answer.Other)) {
                    return answer;
                }
            }
        }
    }

    private Answer overTcp(InetSocketAddress server, byte[] query) throws IOException {
        long end = System.nanoTime() + settings.timeout().toNanos();
        try (var socket = new Socket()) {
            socket.connect(server, millisTo(end));
            byte[] framed = new byte[query.length + 2];
            framed[0] = (byte) (query.length >> 8);
            framed[1] = (byte) query.length;
            System.arraycopy(query, 0, framed, 2, query.length);
            socket.getOutputStream().write(framed);
            byte[] length = read(socket, 2, end);
            byte[] response = read(socket, (length[0] & 0xff) << 8 | length[1] & 0xff, end);
            Answer answer = DnsMessage.read(query, response, response.length);
            if (answer instanceof Answer.Truncated || answer instanceof Answer.Other) {
                throw new IOException("the name server " + server + " sent another response");
            }
            return answer;
        }
    }

    /** The timeout is for all bytes: a server must not renew it with each. */
    private static byte[] read(Socket socket, int count, long end) throws IOException {
        byte[] bytes = new byte[count];
        for (int at = 0; at < count; ) {
            socket.setSoTimeout(millisTo(end));
            int n = socket.getInputStream().read(bytes, at, count - at);
            if (n < 0) {
                throw new EOFException("the name server closed the connection");
            }
            at += n;
        }
        return bytes;
    }

    private static int millisTo(long end) throws SocketTimeoutException {
        long left = Duration.ofNanos(end - System.nanoTime()).toMillis();
        if (left <= 0) {
            throw new SocketTimeoutException("the name server did not respond");
        }
        return (int) left;
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What becomes of a client that does not read, and of the others. */
class SlowClientTest {
    private static final String LONG = "x".repeat(10_000);

    /** Somebody who connects and reads nothing more, with small buffers. */
    static Socket stalled(Service service) throws IOException {
        var socket = new Socket();
        socket.setReceiveBufferSize(4_096);
        socket.connect(
                new java.net.InetSocketAddress(InetAddress.getLoopbackAddress(), service.port));
        String head =
                "GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: a\r\n"
                        + "Upgrade: websocket\r\nConnection: Upgrade\r\n"
                        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                        + "Sec-WebSocket-Version: 13\r\n\r\n";
        socket.getOutputStream().write(head.getBytes(StandardCharsets.ISO_8859_1));
        byte[] connect = {(byte) 0x81, (byte) 0x82, 0, 0, 0, 0, '4', '0'};
        socket.getOutputStream().write(connect);
        return socket;
    }

    @Test
    void isClosedUnlessItIsSaidOtherwiseAndHoldsUpNobody() throws Exception {
        try (var service = new Service(c -> c.budget(256 << 10, Overflow.CLOSE))) {
            service.live.onConnect(c -> service.say("connect"));
            service.live.onClose((c, reason) -> service.say(reason.name()));
            try (Socket stalled = stalled(service)) {
                assertEquals("connect", service.next());
                try (Peer other = Peer.client(service.port)) {
                    assertEquals("connect", service.next());
                    int sent = 0;
                    while (service.live.clients().size() == 2 && sent < 10_000) {
                        service.live.broadcast("m", LONG);
                        assertTrue(other.next().startsWith("42[\"m\""));
                        sent++;
                    }
                    assertEquals("SLOW", service.next());
                    assertTrue(stalled.isConnected());
                    service.live.broadcast("m", "still there");
                    other.expects("42[\"m\",\"still there\"]");
                }
            }
        }
    }

    @Test
    void theMessageOverWhichItIsClosedReachesAllOthers() throws Exception {
        try (var service = new Service(c -> c.budget(256 << 10, Overflow.CLOSE))) {
            service.live.onConnect(c -> service.say("connect"));
            service.live.onClose((c, reason) -> service.say(reason.name()));
            var others = new ArrayList<Peer>();
            var stalled = new ArrayList<Socket>();
            for (int i = 0; i < 8; i++) {
                others.add(Peer.client(service.port));
                assertEquals("connect", service.next());
                stalled.add(stalled(service));
                assertEquals("connect", service.next());
            }
            int sent = 0;
            while (service.live.clients().size() > 8 && sent < 10_000) {
                service.live.broadcast("m", sent, LONG);
                for (Peer other : others) {
                    assertTrue(other.next().startsWith("42[\"m\"," + sent + ","));
                }
                sent++;
            }
            for (int i = 0; i < 8; i++) {
                assertEquals("SLOW", service.next());
            }
            for (int i = 0; i < 8; i++) {
                others.get(i).close();
                stalled.get(i).close();
            }
        }
    }

    @Test
    void losesTheOldestEventsAndIsToldOfTheGap() throws Exception {
        dropped(Overflow.DROP_OLDEST, true);
    }

    @Test
    void losesTheNewestEventsAndIsToldOfTheGap() throws Exception {
        dropped(Overflow.DROP_NEWEST, false);
    }

    private static void dropped(Overflow policy, boolean hasLast) throws Exception {
        try (var service = new Service(c -> c.budget(128 << 10, policy))) {
            service.live.onConnect(c -> service.say("connect"));
            try (Socket stalled = stalled(service)) {
                assertEquals("connect", service.next());
                int messages = 2_000;
                for (int i = 0; i < messages; i++) {
                    service.live.broadcast("m", i, LONG);
                }
                Client client = service.live.clients().iterator().next();
                var delivered = new CountDownLatch(1);
                client.shard().executeLater(delivered::countDown);
                assertTrue(delivered.await(10, TimeUnit.SECONDS));
                var text = new StringBuilder();
                byte[] piece = new byte[64 << 10];
                stalled.setSoTimeout(10_000);
                String last = "[\"m\"," + (messages - 1) + ",";
                while (text.indexOf("sirocco:gap") < 0 || hasLast && text.indexOf(last) < 0) {
                    int n = stalled.getInputStream().read(piece);
                    assertTrue(n > 0);
                    text.append(new String(piece, 0, n, StandardCharsets.ISO_8859_1));
                }
                assertTrue(text.toString().split("\\[\"m\",").length <= messages);
                assertTrue(text.indexOf("[\"m\",0,") > 0);
                assertTrue(text.indexOf("\"dropped\":") > 0);
            }
        }
    }
}

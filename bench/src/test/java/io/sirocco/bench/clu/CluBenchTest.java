// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.clu;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CluBenchTest {
    private static final byte[] KEY = "0123456789abcdef".getBytes(UTF_8);
    private static final byte[] IV = "fedcba9876543210".getBytes(UTF_8);

    private final DatagramSocket controller =
            new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));

    CluBenchTest() throws IOException {}

    @AfterEach
    void close() {
        controller.close();
    }

    @Test
    void countsRightResponsesOfAllClients() throws Exception {
        serve(text -> "resp:127.0.0.1:" + text.split(":")[2] + ":0d123456");
        List<CluResult.Run> seen = new ArrayList<>();
        CluResult result = CluBench.run(plan(8, 2, Optional.empty()), seen::add);
        assertEquals("0d123456", result.value());
        assertEquals(2, result.runs().size());
        assertEquals(seen, result.runs());
        assertTrue(result.clean(), result.runs().toString());
        CluResult.Run run = result.runs().getFirst();
        assertEquals(run.responses(), run.latency().getTotalCount());
        assertTrue(run.cpuMicros().orElseThrow() > 0, "found by its socket: this process");
    }

    @Test
    void aResponseOfAnotherSessionOrValueIsWrongAndOneThatNeverComesLost() throws Exception {
        var count = new AtomicInteger();
        serve(
                text -> {
                    String session = text.split(":")[2];
                    return switch (count.incrementAndGet() % 10) {
                        case 5 -> null;
                        case 6 -> "resp:127.0.0.1:" + session + ":another";
                        case 7 -> "resp:127.0.0.1:00000000:0d123456";
                        default -> "resp:127.0.0.1:" + session + ":0d123456";
                    };
                });
        CluResult result = CluBench.run(plan(4, 1, Optional.of("0d123456")), run -> {});
        CluResult.Run run = result.runs().getFirst();
        assertFalse(result.clean());
        assertTrue(run.lost() > 0 && run.wrong() > 0 && run.responses() > 0, run.toString());
    }

    @Test
    void aControllerThatNeverRespondsIsAnErrorThatAsksForTheKey() {
        var error =
                assertThrows(
                        IOException.class,
                        () -> CluBench.run(plan(1, 1, Optional.empty()), run -> {}));
        assertTrue(error.getMessage().contains("is the key right?"), error.getMessage());
    }

    private CluPlan plan(int clients, int times, Optional<String> expected) {
        return new CluPlan(
                (InetSocketAddress) controller.getLocalSocketAddress(),
                KEY,
                IV,
                "checkAlive()",
                expected,
                clients,
                Duration.ofMillis(300),
                Duration.ofMillis(100),
                times,
                Duration.ofMillis(100),
                OptionalLong.empty(),
                TransportKind.AUTO);
    }

    /** Responds to each request; not at all where {@code respond} returns null. */
    private void serve(UnaryOperator<String> respond) {
        Thread.ofVirtual()
                .start(
                        () -> {
                            try {
                                while (true) {
                                    var packet = new DatagramPacket(new byte[2048], 2048);
                                    controller.receive(packet);
                                    String answer =
                                            respond.apply(new String(opened(packet), UTF_8));
                                    if (answer != null) {
                                        byte[] bytes =
                                                cipher(Cipher.ENCRYPT_MODE)
                                                        .doFinal(answer.getBytes(UTF_8));
                                        controller.send(
                                                new DatagramPacket(
                                                        bytes,
                                                        bytes.length,
                                                        packet.getSocketAddress()));
                                    }
                                }
                            } catch (Exception e) {
                                // closed
                            }
                        });
    }

    private static byte[] opened(DatagramPacket packet) throws Exception {
        return cipher(Cipher.DECRYPT_MODE).doFinal(packet.getData(), 0, packet.getLength());
    }

    private static Cipher cipher(int mode) throws Exception {
        Cipher cipher = Cipher.getInstance("AES/CBC/PKCS5Padding");
        cipher.init(mode, new SecretKeySpec(KEY, "AES"), new IvParameterSpec(IV));
        return cipher;
    }
}

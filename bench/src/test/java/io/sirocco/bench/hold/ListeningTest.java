// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.testkit.FreePort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Finds this very JVM by the sockets that it listens on. */
@EnabledOnOs(OS.LINUX)
class ListeningTest {
    private static final Optional<Processes> OURS =
            Optional.of(new Processes(List.of(ProcessHandle.current().pid())));

    private static Optional<Processes> on(String address, int port) {
        return Listening.on(new InetSocketAddress(InetAddress.ofLiteral(address), port));
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1, 127.0.0.1",
        "0.0.0.0,   127.0.0.1",
        "0.0.0.0,   127.0.0.9",
        "::,        127.0.0.1",
        "::1,       ::1",
        "::,        ::1"
    })
    void theOneThatListensIsFound(String bound, String asked) throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.ofLiteral(bound))) {
            assertEquals(OURS, on(asked, socket.getLocalPort()));
        }
    }

    @Test
    void nobodyIsFoundWhereNobodyListens() throws IOException {
        int free = FreePort.tcp();
        try (var _ = new ServerSocket(free, 1, InetAddress.ofLiteral("127.0.0.1"))) {
            assertEquals(Optional.empty(), on("127.0.0.2", free));
            assertEquals(Optional.empty(), on("192.0.2.1", free)); // another machine's
        }
        assertEquals(Optional.empty(), on("127.0.0.1", free));
    }

    @Test
    void addressesStandInTheTableAsNumbersOfTheMachine() throws UnknownHostException {
        boolean little = java.nio.ByteOrder.nativeOrder() == java.nio.ByteOrder.LITTLE_ENDIAN;
        assertEquals(
                InetAddress.ofLiteral("127.0.0.1"),
                Listening.address(little ? "0100007F" : "7F000001"));
        assertTrue(Listening.address("0".repeat(32)).isAnyLocalAddress());
    }
}

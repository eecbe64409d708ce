// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.uring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.Listener;
import io.sirocco.net.Loops;
import io.sirocco.net.Peer;
import io.sirocco.net.Probe;
import io.sirocco.net.Rig;
import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A kernel whose io_uring lacks an operation, as Linux 6.1 to 6.7 do: NIO takes over, so that
 * addresses are known and an aborted response does not look complete.
 */
@Timeout(30)
class OldKernelTest {
    private Rig rig;

    @BeforeEach
    void start() {
        rig = new Rig(TransportKind.IO_URING); // to be skipped where there is none anyway
    }

    @AfterEach
    void stop() throws Exception {
        System.clearProperty(Ring.MISSING);
        rig.close();
    }

    @ParameterizedTest
    @CsvSource({
        "FIXED_FD_INSTALL, FIXED_FD_INSTALL, 6.8",
        "GETSOCKOPT, URING_CMD with GETSOCKOPT, 6.7",
        "MSG_RING, MSG_RING, 5.18"
    })
    void withoutAnOperationTheTransportIsEpollAndTheReasonIsGiven(
            String missing, String named, String since) throws Exception {
        System.setProperty(Ring.MISSING, missing);
        int descriptors = Rig.openDescriptors();
        IOException e =
                assertThrows(
                        IOException.class,
                        () -> Loops.start(s -> s.loops(2).transport(TransportKind.IO_URING)));
        Rig.until("no loop is left", () -> Rig.openDescriptors() <= descriptors);
        String reason = "lacks the operation " + named + ", which came with Linux " + since;
        assertTrue(e.getMessage().contains(reason), e::getMessage);

        Loops loops = rig.start(s -> s.loops(1).transport(TransportKind.AUTO));
        assertEquals(TransportKind.EPOLL, loops.all().getFirst().transport());
        Listener listener =
                rig.listen(
                        connection -> {
                            var remote = (InetSocketAddress) connection.remote();
                            Probe.write(connection, "%05d".formatted(remote.getPort()));
                            return (same, _, _, to) -> {
                                same.reset();
                                return to;
                            };
                        });
        Peer peer = rig.connect(listener);
        int port = ((InetSocketAddress) peer.channel.getLocalAddress()).getPort();
        assertEquals("%05d".formatted(port), peer.text(5));
        peer.send("x");
        assertThrows(IOException.class, () -> peer.channel.read(java.nio.ByteBuffer.allocate(1)));
    }
}

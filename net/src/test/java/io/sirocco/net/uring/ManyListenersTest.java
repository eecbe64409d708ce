// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.uring;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sirocco.net.Echo;
import io.sirocco.net.Listener;
import io.sirocco.net.Loops;
import io.sirocco.net.Peer;
import io.sirocco.net.Rig;
import io.sirocco.net.TransportKind;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** io_uring: listeners that come and go, as with reloads, leave nothing behind in the loops. */
@Timeout(60)
class ManyListenersTest {
    private static final int LOOPS = 2;
    private static final int TABLE = 64; // so that most connections move to further tables

    @TempDir Path folder;
    private Rig rig;
    private Loops loops;

    @BeforeEach
    void start() throws Exception {
        rig = new Rig(TransportKind.IO_URING);
        System.setProperty(Uring.TABLE_SIZE, Integer.toString(TABLE));
        loops = rig.start(s -> s.loops(LOOPS));
    }

    @AfterEach
    void stop() throws Exception {
        System.clearProperty(Uring.TABLE_SIZE);
        rig.close();
    }

    private int known() {
        return loops.all().stream()
                .mapToInt(loop -> ((Uring) Rig.transport(loop)).accepts().known())
                .sum();
    }

    @Test
    void ofSharedAddressesNoneIsLeft() throws Exception {
        comeAndGo(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), LOOPS);
    }

    @Test
    void ofAddressesThatOneLoopAcceptsForAllNoneIsLeft() throws Exception {
        comeAndGo(UnixDomainSocketAddress.of(folder.resolve("socket")), 1);
    }

    private void comeAndGo(SocketAddress address, int acceptors) throws Exception {
        var peers = new ArrayList<Peer>();
        for (int i = 0; i < 30; i++) {
            try (Listener listener = loops.listen(address, o -> {}, c -> new Echo())) {
                assertEquals(acceptors, known(), "of " + listener.address());
                for (int n = 0; n < 6; n++) {
                    peers.add(rig.connect(listener).send("x"));
                }
                for (Peer peer : peers) {
                    assertEquals("x", peer.text(1));
                    peer.send("x");
                }
            }
            Rig.until("nothing is left of it", () -> known() == 0);
        }
        for (Peer peer : peers) {
            assertEquals("x", peer.text(1)); // they have outlived their listeners
            peer.close();
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.testkit.Certificates.Pair;
import io.sirocco.testkit.OnEachTransport;
import java.net.SocketAddress;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Who is not admitted is not served, and who is, is told of when he goes: once. */
@OnEachTransport
class AdmissionTest {
    @Parameter TransportKind transport;
    private Rig rig;

    /** One at a time. */
    private static final class One implements Admission {
        final AtomicInteger open = new AtomicInteger();
        final AtomicInteger asked = new AtomicInteger();

        @Override
        public boolean admit(SocketAddress remote) {
            asked.incrementAndGet();
            return open.compareAndSet(0, 1);
        }

        @Override
        public void gone(SocketAddress remote) {
            open.decrementAndGet();
        }
    }

    @BeforeEach
    void start() {
        rig = new Rig(transport);
    }

    @AfterEach
    void stop() throws Exception {
        rig.close();
    }

    @Test
    void oneAtATime() throws Exception {
        var one = new One();
        Listener listener = rig.listen(o -> o.admission(() -> one), c -> new Echo());
        Peer first = rig.connect(listener);
        assertEquals("first", first.send("first").text(5));
        assertTrue(rig.connect(listener).over());
        first.close();
        Rig.until("the first is gone", () -> one.open.get() == 0);
        assertEquals("third", rig.connect(listener).send("third").text(5));
        assertEquals(3, one.asked.get());
    }

    /** Or a crowd could have us reckon for each of them. */
    @Test
    void nobodyShakesHandsBeforeHeIsAdmitted() throws Exception {
        Pair pair = TlsFiles.get().pair("a", "EC", "a.test", "localhost");
        Tls tls = Tls.of(s -> s.certificate(pair.chain(), pair.key()));
        var one = new One();
        Listener listener = rig.listen(o -> o.tls(tls).admission(() -> one), c -> new Echo());
        Peer silent = rig.connect(listener);
        Rig.until("it is admitted", () -> one.open.get() == 1);
        assertTrue(rig.connect(listener).over(), "without a byte of a handshake");
        silent.close();
        Rig.until("it is told of, though it never shook hands", () -> one.open.get() == 0);
    }

    @Test
    void whoAdmittedHimIsToldAlsoWhenAnotherHasTakenHisPlace() throws Exception {
        var one = new One();
        var inForce = new AtomicReference<Admission>(one);
        Listener listener = rig.listen(o -> o.admission(inForce::get), c -> new Echo());
        Peer first = rig.connect(listener);
        assertEquals("first", first.send("first").text(5));
        inForce.set(Admission.ALL);
        assertEquals("second", rig.connect(listener).send("second").text(6));
        first.close();
        Rig.until("it is told", () -> one.open.get() == 0);
        assertEquals(1, one.asked.get());
    }
}

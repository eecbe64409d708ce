// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sirocco.testkit.Certificates.Pair;
import io.sirocco.testkit.OnEachTransport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** In the old server one TLS listener turned all others into TLS, too. */
@OnEachTransport
class OneTlsListenerDoesNotTurnOthersIntoTlsTest {
    @Parameter TransportKind transport;

    @Test
    void eachSpeaksWhatItWasToldTo() throws Exception {
        Pair a = TlsFiles.get().pair("a", "EC", "a.test", "localhost");
        Pair rsa = TlsFiles.get().pair("rsa", "RSA", "rsa.test");
        Tls one = Tls.of(s -> s.certificate(a.chain(), a.key()));
        Tls other = Tls.of(s -> s.certificate(rsa.chain(), rsa.key()).versions("TLSv1.2"));
        try (var rig = new Rig(transport)) {
            rig.start(s -> s.loops(2));
            Listener before = rig.listen(c -> new Echo());
            Listener tls = rig.listen(o -> o.tls(one), c -> new Echo());
            Listener between = rig.listen(c -> new Echo());
            Listener tls12 = rig.listen(o -> o.tls(other), c -> new Echo());
            Listener after = rig.listen(c -> new Echo());
            for (int i = 0; i < 4; i++) { // each loop has its turn
                for (Listener plain : new Listener[] {before, between, after}) {
                    assertEquals("plain", rig.connect(plain).send("plain").text(5));
                }
                try (var peer = TlsPeer.to(tls)) {
                    assertEquals("sealed", peer.shakeHands().send("sealed").text(6));
                    assertEquals("TLSv1.3", peer.engine.getSession().getProtocol());
                }
                try (var peer = TlsPeer.to(tls12)) {
                    assertEquals("sealed", peer.shakeHands().send("sealed").text(6));
                    assertEquals("TLSv1.2", peer.engine.getSession().getProtocol());
                }
            }
        }
    }
}

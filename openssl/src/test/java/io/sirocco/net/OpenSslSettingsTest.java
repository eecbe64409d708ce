// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.TlsFiles.Command;
import io.sirocco.openssl.OpenSsl;
import io.sirocco.testkit.Certificates.Pair;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What OpenSSL takes of the settings, and what it says of those that it does not. */
@Tag("peers")
class OpenSslSettingsTest {
    private final TlsFiles files = TlsFiles.get();
    private final Pair a = files.pair("a", "EC", "a.test", "localhost");
    private final Rig rig = new Rig(TransportKind.NIO);

    @AfterEach
    void stop() throws Exception {
        rig.close();
    }

    private Tls tls(Consumer<TlsSettings> configure) {
        return Tls.of(
                s -> {
                    s.engines(new OpenSsl());
                    configure.accept(s);
                });
    }

    private String sClient(Tls tls, String... more) throws Exception {
        Listener listener = rig.listen(options -> options.tls(tls), c -> new Echo());
        var command = new ArrayList<>(List.of("openssl", "s_client", "-CAfile", "authority.pem"));
        command.addAll(List.of("-connect", "127.0.0.1:" + listener.port()));
        command.addAll(List.of(more));
        return Command.result(files.folder, "", command).output();
    }

    private void refused(String expected, Consumer<TlsSettings> configure) {
        var refusal =
                assertThrows(
                        IllegalArgumentException.class,
                        () -> tls(s -> configure.accept(s.certificate(a.chain(), a.key()))));
        assertTrue(refusal.getMessage().contains(expected), refusal::getMessage);
    }

    @Test
    void whatItCannotDoIsRefusedAtOnce() {
        refused("TLSv1.2 and TLSv1.3 only, not for [TLSv1.1]", s -> s.versions("TLSv1.1"));
        refused(
                "OpenSSL knows no cipher suite TLS_RSA_WITH_NOTHING",
                s -> s.cipherSuites("TLS_RSA_WITH_NOTHING"));
        refused("OpenSSL knows no cipher suite TLS_NONE", s -> s.cipherSuites("TLS_NONE"));
        refused(
                "no cipher suite is for [TLSv1.3]",
                s -> s.versions("TLSv1.3").cipherSuites("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"));
    }

    @Test
    void aReloadThatIsRefusedChangesNothing() throws Exception {
        Tls tls = tls(s -> s.certificate(a.chain(), a.key()));
        assertThrows(
                IllegalArgumentException.class,
                () ->
                        tls.replace(
                                s ->
                                        s.certificate(a.chain(), a.key())
                                                .engines(new OpenSsl())
                                                .cipherSuites("TLS_NONE")));
        assertTrue(sClient(tls).contains("Verify return code: 0 (ok)"));
    }

    @Test
    void everyKindOfKey() throws Exception {
        for (String kind : List.of("EC", "RSA", "ED25519")) {
            Pair pair = files.pair("kind-" + kind, kind, "kind.test");
            String output = sClient(tls(s -> s.certificate(pair.chain(), pair.key())));
            assertTrue(output.contains("Verify return code: 0 (ok)"), output);
        }
    }

    @Test
    void onlySuitesOfOneVersion() throws Exception {
        Tls old =
                tls(
                        s ->
                                s.certificate(a.chain(), a.key())
                                        .cipherSuites("TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"));
        String output = sClient(old);
        assertTrue(output.contains("Cipher is ECDHE-ECDSA-AES256-GCM-SHA384"), output);
        Tls recent =
                tls(s -> s.certificate(a.chain(), a.key()).cipherSuites("TLS_AES_256_GCM_SHA384"));
        assertTrue(sClient(recent, "-tls1_2").contains("alert protocol version"));
    }

    @Test
    void theChainIsSent() throws Exception {
        var both =
                files.write(
                        "a-chain.pem",
                        java.nio.file.Files.readString(a.chain())
                                + java.nio.file.Files.readString(files.authority()));
        String output = sClient(tls(s -> s.certificate(both, a.key())), "-showcerts");
        assertEquals(
                2, output.lines().filter("-----BEGIN CERTIFICATE-----"::equals).count(), output);
    }

    @Test
    void itIsFoundByItsName() {
        List<String> names =
                ServiceLoader.load(TlsEngines.Kind.class).stream()
                        .map(each -> each.get().name())
                        .toList();
        assertEquals(List.of("openssl"), names);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.net.Tls;
import io.sirocco.testkit.Certificates;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.TrustManagerFactory;

/**
 * A client's end of TLS over a socket that does not block, for {@link Client}. It has shaken hands
 * when it is made.
 */
final class TlsLink {
    private static final Path FOLDER = folder();

    /** What servers under test speak. */
    static final Tls TLS = tls();

    static final SSLContext CONTEXT = context();

    private final SocketChannel channel;
    private final SSLEngine engine;
    private final ByteBuffer in = ByteBuffer.allocate(64 << 10).flip();
    private final ByteBuffer out = ByteBuffer.allocate(32 << 10).flip();
    private long sent;

    TlsLink(SocketChannel channel) throws IOException {
        this(channel, () -> {});
    }

    /** One that has {@code greeted} run when it has sent its first word, and then goes on. */
    TlsLink(SocketChannel channel, Runnable greeted) throws IOException {
        boolean first = true;
        this.channel = channel;
        engine = CONTEXT.createSSLEngine("localhost", 1);
        engine.setUseClientMode(true);
        engine.beginHandshake();
        ByteBuffer nothing = ByteBuffer.allocate(0);
        while (engine.getHandshakeStatus() != HandshakeStatus.NOT_HANDSHAKING) {
            switch (engine.getHandshakeStatus()) {
                case NEED_WRAP -> {
                    write(nothing);
                    if (first) {
                        first = false;
                        greeted.run();
                    }
                }
                case NEED_TASK -> engine.getDelegatedTask().run();
                default -> read(ByteBuffer.allocate(32 << 10));
            }
        }
    }

    private static Path folder() {
        try {
            Path folder = Files.createTempDirectory("sirocco-https");
            var names = List.of("", "authority.pem", "localhost.pem", "localhost.key");
            for (String name : names) {
                folder.resolve(name).toFile().deleteOnExit(); // in reverse order
            }
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Tls tls() {
        try {
            Certificates.Pair pair =
                    Certificates.authority(FOLDER, "authority")
                            .sign("localhost", "EC", "localhost");
            return Tls.of(settings -> settings.certificate(pair.chain(), pair.key()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static SSLContext context() {
        try (InputStream pem = Files.newInputStream(FOLDER.resolve("authority.pem"))) {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setCertificateEntry(
                    "it", CertificateFactory.getInstance("X.509").generateCertificate(pem));
            var trust = TrustManagerFactory.getInstance("PKIX");
            trust.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Takes as much of {@code text} as the socket does, a record at least. */
    int write(ByteBuffer text) throws IOException {
        if (!flushed()) {
            return 0;
        }
        SSLEngineResult result = engine.wrap(text, out.clear());
        out.flip();
        flushed();
        return result.bytesConsumed();
    }

    /** Whether all that was taken has been given to the socket. */
    boolean flushed() throws IOException {
        while (out.hasRemaining()) {
            int n = channel.write(out);
            sent += n;
            if (n == 0) {
                return false;
            }
        }
        return true;
    }

    /** As a channel does. */
    int read(ByteBuffer text) throws IOException {
        int before = text.position();
        while (true) {
            SSLEngineResult result = engine.unwrap(in, text);
            if (result.getStatus() == Status.CLOSED) {
                return -1;
            } else if (text.position() > before) {
                return text.position() - before;
            } else if (result.getStatus() == Status.BUFFER_UNDERFLOW) {
                in.compact();
                int n = channel.read(in);
                in.flip();
                if (n < 0) {
                    throw new IOException("the stream was cut");
                } else if (n == 0) {
                    return 0;
                }
            } else if (result.bytesConsumed() == 0) {
                return 0; // there is something else to do in a handshake
            }
        }
    }

    /** Says that nothing more will be sent. */
    void end() throws IOException {
        engine.closeOutbound();
        write(ByteBuffer.allocate(0));
    }

    /** Bytes that the socket has taken. */
    long sent() {
        return sent;
    }
}

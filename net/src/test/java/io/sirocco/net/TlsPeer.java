// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;

/**
 * The other end of a TLS connection: the JDK's engine over a plain blocking socket, so that a test
 * decides how records are cut, and what is sent between them. Its tests have a time limit.
 */
final class TlsPeer implements AutoCloseable {
    final Peer peer;
    final SSLEngine engine;

    /** How many bytes are sent at a time. */
    int piece = Integer.MAX_VALUE;

    private final ByteBuffer network = ByteBuffer.allocate(64 << 10).flip();
    private final ByteBuffer plain = ByteBuffer.allocate(64 << 10);
    private boolean cut;

    TlsPeer(Peer peer, SSLContext context, Consumer<SSLParameters> configure) {
        this.peer = peer;
        engine = context.createSSLEngine("localhost", 1);
        engine.setUseClientMode(true);
        SSLParameters parameters = engine.getSSLParameters();
        configure.accept(parameters);
        engine.setSSLParameters(parameters);
    }

    static TlsPeer to(Listener listener) throws IOException {
        return over(Peer.to(listener.address()));
    }

    /** As {@link Peer#small}. */
    static TlsPeer small(Listener listener) throws IOException {
        return over(Peer.small(listener.address()));
    }

    private static TlsPeer over(Peer peer) {
        return new TlsPeer(peer, TlsFiles.get().clientContext(Optional.empty()), parameters -> {});
    }

    /** One that speaks this version of TLS. */
    static TlsPeer to(Listener listener, String version) throws IOException {
        return new TlsPeer(
                Peer.to(listener.address()),
                TlsFiles.get().clientContext(Optional.empty()),
                parameters -> parameters.setProtocols(new String[] {version}));
    }

    TlsPeer shakeHands() throws SSLException {
        engine.beginHandshake();
        while (true) {
            switch (engine.getHandshakeStatus()) {
                case NEED_WRAP -> sendRecord(ByteBuffer.allocate(0));
                case NEED_TASK -> {
                    for (Runnable task; (task = engine.getDelegatedTask()) != null; ) {
                        task.run();
                    }
                }
                case NEED_UNWRAP -> {
                    if (!readRecord()) {
                        throw new SSLException("cut off");
                    }
                }
                default -> {
                    return this;
                }
            }
        }
    }

    TlsPeer send(String text) throws SSLException {
        return send(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    TlsPeer send(byte[] bytes) throws SSLException {
        ByteBuffer text = ByteBuffer.wrap(bytes);
        while (text.hasRemaining()) {
            sendRecord(text);
        }
        return this;
    }

    /** Sends from a thread of its own; what goes wrong ends it. */
    Thread sending(byte[] bytes) {
        return Thread.ofVirtual()
                .start(
                        () -> {
                            try {
                                send(bytes);
                            } catch (IOException | UncheckedIOException e) {
                                // the reader's side tells
                            }
                        });
    }

    /** One record with the beginning of {@code text}. */
    byte[] record(ByteBuffer text) throws SSLException {
        ByteBuffer record = ByteBuffer.allocate(32 << 10);
        engine.wrap(text, record);
        var bytes = new byte[record.position()];
        record.get(0, bytes);
        return bytes;
    }

    private void sendRecord(ByteBuffer text) throws SSLException {
        sendRaw(record(text));
    }

    void sendRaw(byte[] bytes) {
        for (int from = 0; from < bytes.length; ) {
            int to = (int) Math.min(bytes.length, (long) from + piece);
            peer.send(bytes, from, to);
            from = to;
        }
    }

    /** Reads one record; answers whether there was one. */
    private boolean readRecord() throws SSLException {
        while (true) {
            SSLEngineResult result = engine.unwrap(network, plain);
            switch (result.getStatus()) {
                case BUFFER_UNDERFLOW -> {
                    network.compact();
                    int n = -1;
                    try {
                        n = peer.channel.read(network);
                    } catch (IOException e) {
                        cut = true;
                    }
                    network.flip();
                    if (n < 0) {
                        cut |= !engine.isInboundDone();
                        return false;
                    }
                }
                case OK -> {
                    if (result.bytesConsumed() > 0) {
                        return true;
                    }
                    if (result.getHandshakeStatus() != HandshakeStatus.NOT_HANDSHAKING) {
                        return true; // the engine has something to do first
                    }
                }
                case CLOSED -> {
                    return false;
                }
                case BUFFER_OVERFLOW -> throw new AssertionError(result);
            }
        }
    }

    /** The first five bytes of the record that comes next. */
    byte[] nextHeader() {
        network.compact();
        if (network.position() < 5) {
            network.put(peer.read(5 - network.position()));
        }
        network.flip();
        return java.util.Arrays.copyOf(network.array(), 5);
    }

    /** So many bytes, or fewer if the stream ends before. */
    byte[] read(int length) throws SSLException {
        var all = new ByteArrayOutputStream();
        while (all.size() < length) {
            plain.flip();
            var some = new byte[Math.min(plain.remaining(), length - all.size())];
            plain.get(some);
            all.writeBytes(some);
            plain.compact();
            if (all.size() < length && !readRecord()) {
                plain.flip();
                some = new byte[Math.min(plain.remaining(), length - all.size())];
                plain.get(some);
                all.writeBytes(some);
                plain.compact();
                break;
            }
            answer();
        }
        return all.toByteArray();
    }

    /** What the engine has to say after reading: a key update, mostly. */
    private void answer() throws SSLException {
        if (engine.getHandshakeStatus() == HandshakeStatus.NEED_WRAP && !engine.isInboundDone()) {
            sendRecord(ByteBuffer.allocate(0));
        }
    }

    String text(int length) throws SSLException {
        return new String(read(length), StandardCharsets.ISO_8859_1);
    }

    String allText() throws SSLException {
        return text(64 << 20);
    }

    /** Whether the stream ended without a closing alert. */
    boolean wasCut() {
        return cut;
    }

    /** Sends the closing alert; the socket stays open. */
    TlsPeer closeNotify() throws SSLException {
        engine.closeOutbound();
        sendRecord(ByteBuffer.allocate(0));
        return this;
    }

    /** Closes the socket, now. */
    void hangUp() throws IOException {
        peer.close();
    }

    @Override
    public void close() throws IOException {
        peer.close();
    }
}

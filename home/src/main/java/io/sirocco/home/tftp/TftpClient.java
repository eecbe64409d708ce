// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.tftp;

import io.sirocco.net.Loops;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;

/**
 * A TFTP client (RFC 1350). A future that fails does so with a {@link TftpException} when the
 * server has sent an error or has not responded, and with another {@link IOException} when there is
 * no socket. Any thread.
 */
public final class TftpClient {
    private final Loops loops;
    private final InetAddress local;
    private final TftpSettings settings;

    /**
     * Creates a client.
     *
     * @param local the address to send from; may be the wildcard
     * @param settings those of a server do not matter
     */
    public TftpClient(Loops loops, InetAddress local, TftpSettings settings) {
        this.loops = loops;
        this.local = local;
        this.settings = settings;
    }

    /** Reads a file. */
    public CompletableFuture<byte[]> read(InetSocketAddress server, String file, Mode mode) {
        var result = new CompletableFuture<byte[]>();
        start(
                server,
                result,
                transfer -> {
                    var content = new ByteArrayOutputStream();
                    var request = new Packet.Request(false, file, mode);
                    int last =
                            transfer.receive(
                                    request,
                                    mode == Mode.NETASCII ? NetAscii.decoded(content) : content);
                    transfer.acknowledge(last);
                    result.complete(content.toByteArray());
                    transfer.linger(last);
                });
        return result;
    }

    /** Writes a file; completes when the server has acknowledged all of it. */
    public CompletableFuture<Void> write(
            InetSocketAddress server, String file, byte[] content, Mode mode) {
        var result = new CompletableFuture<Void>();
        InputStream local = new ByteArrayInputStream(content.clone());
        start(
                server,
                result,
                transfer -> {
                    transfer.send(
                            new Packet.Request(true, file, mode),
                            mode == Mode.NETASCII ? NetAscii.encoded(local) : local);
                    result.complete(null);
                });
        return result;
    }

    @FunctionalInterface
    private interface Task {
        void run(Transfer transfer) throws IOException;
    }

    private void start(InetSocketAddress server, CompletableFuture<?> result, Task task) {
        Thread.ofVirtual()
                .name("sirocco-home-tftp-client")
                .start(
                        () -> {
                            try (var socket =
                                    TransferSocket.open(loops, local, server, false, settings)) {
                                run(socket, task);
                            } catch (IOException | RuntimeException e) {
                                result.completeExceptionally(e);
                            }
                        });
    }

    private void run(TransferSocket socket, Task task) throws IOException {
        var transfer = new Transfer(socket, settings);
        try {
            task.run(transfer);
        } catch (TftpException e) {
            transfer.fail(e);
            throw e;
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.tftp;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.function.Predicate;

/**
 * A transfer in lockstep (RFC 1350 2): each packet is sent again until the response to it has come.
 *
 * <pre>
 *   sender:     DATA n  ------------>  receiver
 *                       <------------  ACK n      DATA n again: ACK n again
 *   timeout: the same packet again; three times, then the transfer ends
 * </pre>
 *
 * A second ACK of a block is ignored: a sender that repeated the next block for it would send
 * everything twice from then on (RFC 1123 4.2.3.1). Used by one thread, a virtual one.
 */
final class Transfer {
    private static final byte[] NO_BYTES = {};

    private final TransferSocket socket;
    private final TftpSettings settings;

    Transfer(TransferSocket socket, TftpSettings settings) {
        this.socket = socket;
        this.settings = settings;
    }

    /**
     * Sends a file.
     *
     * @param request the request whose acknowledgement comes first; null when the peer made it
     */
    void send(Packet.Request request, InputStream content) throws IOException {
        if (request != null) {
            exchange(request.bytes(), NO_BYTES, -1, isAck(0));
        }
        int block = 0;
        byte[] next;
        do {
            block = block + 1 & 0xffff;
            next = content.readNBytes(Packet.BLOCK);
            exchange(new Packet.Data(block, next).bytes(), NO_BYTES, -1, isAck(block));
        } while (next.length == Packet.BLOCK);
    }

    private static Predicate<Packet> isAck(int block) {
        return packet -> packet instanceof Packet.Ack ack && ack.block() == block;
    }

    /**
     * Receives a file into {@code target} and closes that, which keeps the file: only then the last
     * block is acknowledged.
     *
     * @param request the request, to which the file is the response; null when the peer made it
     * @return the last block, for {@link #linger}
     */
    int receive(Packet.Request request, OutputStream target) throws IOException {
        byte[] ask = request == null ? new Packet.Ack(0).bytes() : request.bytes();
        byte[] ack = NO_BYTES; // of the block before, if there was one
        long total = 0;
        for (int block = 1; ; block = block + 1 & 0xffff) {
            int expected = block;
            var data =
                    (Packet.Data)
                            exchange(
                                    ask,
                                    ack,
                                    block - 1 & 0xffff,
                                    packet ->
                                            packet instanceof Packet.Data next
                                                    && next.block() == expected);
            total += data.content().length;
            if (total > settings.maxFileSize()) {
                throw new TftpException(TftpError.DISK_FULL, "File is too long");
            }
            target.write(data.content());
            ack = new Packet.Ack(block).bytes();
            ask = ack;
            if (data.content().length < Packet.BLOCK) {
                target.close();
                return block;
            }
        }
    }

    /** Acknowledges the last block. */
    void acknowledge(int lastBlock) throws IOException {
        socket.ask(new Packet.Ack(lastBlock).bytes(), settings.lingerTimeout());
    }

    /** Repeats the last acknowledgement for a while, in case it was lost (RFC 1350 6). */
    void linger(int lastBlock) throws IOException {
        for (Packet packet; (packet = socket.await()) != null; ) {
            if (packet instanceof Packet.Data data && data.block() == lastBlock) {
                socket.send(new Packet.Ack(lastBlock).bytes());
            }
        }
    }

    /**
     * Sends {@code ask} until {@code response} accepts a packet.
     *
     * @param repeat is sent for each further copy of DATA {@code before}; may be empty
     */
    private Packet exchange(byte[] ask, byte[] repeat, int before, Predicate<Packet> response)
            throws IOException {
        for (int i = 0; i < settings.tries(); i++) {
            socket.ask(ask, settings.responseTimeout());
            for (Packet packet; (packet = socket.await()) != null; ) {
                if (response.test(packet)) {
                    return packet;
                }
                if (packet instanceof Packet.Failure failure) {
                    throw TftpException.received(failure);
                }
                if (repeat.length > 0
                        && packet instanceof Packet.Data data
                        && data.block() == before) {
                    socket.send(repeat);
                }
            }
        }
        throw new TftpException(TftpError.NOT_DEFINED, "Timed out");
    }

    /** Sends the peer the reason why the transfer ends, unless the peer has ended it. */
    void fail(TftpException failure) {
        if (failure.isReceived()) {
            return;
        }
        try {
            socket.send(
                    new Packet.Failure(failure.error().ordinal(), failure.getMessage()).bytes());
        } catch (IOException e) {
            // the loop has ended
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.sirocco.home.file.AtomicFile;
import io.sirocco.net.log.LazyLogger;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/**
 * The file {@code requests.bin} of a fortified controller: the entries of its {@link ReplayWindow}.
 *
 * <pre>
 *   16 bytes   "Sirocco requests"
 *   16 each    entries in a ring: 8 bytes of the datagram, 8 of the session; the first empty one is
 *              where the next one goes
 * </pre>
 *
 * <p>What is written survives the end of the process. It is not synced: a power failure may take
 * the entries of the last half a minute, after which the system writes them. A file that is
 * missing, damaged or not writable keeps no controller from starting; the log says so.
 *
 * <p>Used by one thread, the event loop: the exception from the rule that it waits for no disk. A
 * write copies some 32 bytes into memory of the system, once for all requests of a turn, and the
 * system delays it only when other programs write more than the disk can take. On another thread
 * each response would have to wait for that thread, since a response that leaves before its request
 * is written makes a copy of the request new after a crash.
 */
final class ReplayFile implements AutoCloseable {
    /** Bytes of an entry. */
    static final int ENTRY = 16;

    private static final LazyLogger LOG = LazyLogger.of(Clu.class);
    private static final byte[] HEADER = "Sirocco requests".getBytes(US_ASCII);
    private static final String CONSEQUENCE =
            "a copy of a request that was recorded before has its effect again, once";

    private final Path path;
    private final FileChannel channel;
    private boolean begun; // has its header
    private boolean failing;

    private ReplayFile(Path path, FileChannel channel) {
        this.path = path;
        this.channel = channel;
    }

    /** Opens or creates the file; returns null, and warns, if it cannot. */
    static ReplayFile open(Path folder) {
        Path path = folder.resolve("requests.bin");
        try {
            FileChannel channel =
                    FileChannel.open(
                            path,
                            Set.of(
                                    StandardOpenOption.CREATE,
                                    StandardOpenOption.READ,
                                    StandardOpenOption.WRITE),
                            AtomicFile.ownerOnly(path));
            return new ReplayFile(path, channel);
        } catch (IOException e) {
            LOG.get()
                    .log(
                            Level.WARNING,
                            "{0} cannot be opened: {1}. Requests are remembered until the"
                                    + " controller ends: then "
                                    + CONSEQUENCE,
                            path,
                            e.toString());
            return null;
        }
    }

    /**
     * Reads the entries. A file that is new or damaged becomes an empty one.
     *
     * @return the index of the first empty entry; 0, that of the oldest, if none is empty
     */
    int read(ByteBuffer ring) {
        String problem;
        try {
            long length = channel.size();
            if (length == 0) {
                LOG.get().log(Level.INFO, "{0} is new: requests are remembered from now on", path);
                return begin(ring);
            }
            problem = problem(length, ring.capacity());
            if (problem == null) {
                ByteBuffer into = ring.duplicate();
                while (into.hasRemaining()
                        && channel.read(into, HEADER.length + into.position()) > 0) {
                    // goes on
                }
                begun = true;
                return firstEmpty(ring);
            }
        } catch (IOException e) {
            problem = e.toString();
        }
        LOG.get()
                .log(
                        Level.WARNING,
                        "{0} is damaged, {1}: it begins anew, and {2}",
                        path,
                        problem,
                        CONSEQUENCE);
        return begin(ring);
    }

    private String problem(long length, int capacity) throws IOException {
        if (length > HEADER.length + capacity) {
            return "it is too long";
        }
        var header = ByteBuffer.allocate(HEADER.length);
        channel.read(header, 0);
        return ByteBuffer.wrap(HEADER).equals(header.flip()) ? null : "its header is wrong";
    }

    private int begin(ByteBuffer ring) {
        for (int i = 0; i < ring.capacity(); i += Long.BYTES) {
            ring.putLong(i, 0);
        }
        try {
            channel.truncate(0);
            channel.write(ByteBuffer.wrap(HEADER), 0);
            begun = true;
        } catch (IOException e) {
            failed(e);
        }
        return 0;
    }

    private static int firstEmpty(ByteBuffer ring) {
        for (int i = 0; i < ring.capacity(); i += ENTRY) {
            if (ring.getLong(i) == 0) {
                return i / ENTRY;
            }
        }
        return 0; // the process ended between the writes of the end and of the beginning
    }

    /**
     * Writes entries of the ring, past its end from its beginning.
     *
     * @return whether they are written; warns once if they cannot be
     */
    boolean write(ByteBuffer ring, int first, int count) {
        int entries = ring.capacity() / ENTRY;
        int atEnd = Math.min(count, entries - first);
        try {
            if (!begun) { // the disk was full at the start
                channel.write(ByteBuffer.wrap(HEADER), 0);
                begun = true;
            }
            writeEntries(ring.duplicate(), first, atEnd);
            writeEntries(ring.duplicate(), 0, count - atEnd);
        } catch (IOException e) {
            failed(e);
            return false;
        }
        if (failing) {
            LOG.get().log(Level.INFO, "{0} is written again", path);
            failing = false;
        }
        return true;
    }

    private void writeEntries(ByteBuffer ring, int first, int count) throws IOException {
        ring.limit((first + count) * ENTRY).position(first * ENTRY);
        while (ring.hasRemaining()) {
            channel.write(ring, HEADER.length + ring.position());
        }
    }

    private void failed(IOException e) {
        if (!failing) {
            failing = true;
            LOG.get()
                    .log(
                            Level.WARNING,
                            "{0} cannot be written: {1}. It is tried again; after a restart {2}",
                            path,
                            e.getMessage(),
                            CONSEQUENCE);
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}

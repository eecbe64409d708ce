// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The file of a body that arrives: appended to, and read by clients that lag behind. It becomes a
 * {@link StoredBody.Disk}, or is deleted. Its owner writes one thing at a time, and neither deletes
 * nor closes it meanwhile. Any thread.
 */
final class DiskFile {
    private final DiskStore store;
    private final String name;
    private final Path path;
    private volatile FileChannel channel; // opened by the first write
    private volatile long written;

    DiskFile(DiskStore store, String name, Path path) {
        this.store = store;
        this.name = name;
        this.path = path;
    }

    /** Appends segments. */
    CompletableFuture<Void> append(List<byte[]> segments) {
        return store.run(
                () -> {
                    if (channel == null) {
                        channel =
                                FileChannel.open(
                                        path,
                                        StandardOpenOption.CREATE_NEW,
                                        StandardOpenOption.READ,
                                        StandardOpenOption.WRITE);
                    }
                    long at = written;
                    for (byte[] segment : segments) {
                        for (var rest = ByteBuffer.wrap(segment); rest.hasRemaining(); ) {
                            at += channel.write(rest, at);
                        }
                    }
                    written = at;
                    return null;
                });
    }

    /** Ensures that all of it is on the disk: only then is the body complete. */
    CompletableFuture<StoredBody.Disk> finish() {
        return store.run(
                () -> {
                    channel.force(true);
                    return new StoredBody.Disk(name, written);
                });
    }

    /** Reads bytes that were written. */
    CompletableFuture<byte[]> read(long from, int length) {
        return store.run(
                () -> {
                    var bytes = ByteBuffer.allocate(length);
                    while (bytes.hasRemaining()) {
                        if (channel.read(bytes, from + bytes.position()) < 0) {
                            throw new IOException("the file of a body that arrives was cut");
                        }
                    }
                    return bytes.array();
                });
    }

    /** Removes the file from its folder. What was written can be read until {@link #close}. */
    void delete() {
        store.cleanUp(() -> Files.deleteIfExists(path));
    }

    void close() {
        store.cleanUp(
                () -> {
                    if (channel != null) {
                        channel.close();
                    }
                    return null;
                });
    }
}

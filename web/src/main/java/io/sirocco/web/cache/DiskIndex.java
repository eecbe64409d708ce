// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import io.sirocco.http.Headers;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * The index of a {@link DiskStore}: a journal of what was stored and deleted. A kill may leave a
 * torn record at its end, which its checksum reveals; the bodies of entries that are lost that way
 * are deleted.
 *
 * <pre>
 *   file    = magic, *record
 *   record  = int length, int CRC-32C of the payload, payload
 *   payload = byte 1 (stored), string name, entry  |  byte 2 (deleted), string name
 *   string  = int length, bytes of ISO 8859-1
 * </pre>
 *
 * The caller synchronises it.
 */
final class DiskIndex implements Closeable {
    private static final long MAGIC = 0x5349524f43430001L; // "SIROCC", format 1
    private static final byte STORED = 1;
    private static final byte DELETED = 2;
    private static final int MAX = 1 << 20;

    /** The journal is rewritten when it has twice the size that it had then, and this. */
    private static final long SLACK = 1 << 20;

    private final Path file;
    private FileChannel channel;
    private long size;
    private long rewritten; // its size then

    private DiskIndex(Path file) {
        this.file = file;
    }

    /** Creates an index of entries, in the place of an older one. */
    static DiskIndex create(Path file, Collection<StoredResponse> entries) throws IOException {
        var index = new DiskIndex(file);
        index.rewrite(entries);
        return index;
    }

    /**
     * Reads the entries of an index, as far as it is intact.
     *
     * @return none if there is no index
     */
    static List<StoredResponse> read(Path file, CacheSettings settings) throws IOException {
        if (!Files.exists(file)) {
            return List.of();
        }
        Map<String, StoredResponse> entries = new LinkedHashMap<>();
        try (var in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
            if (in.readLong() != MAGIC) {
                return List.of();
            }
            for (; ; ) {
                byte[] payload = payload(in);
                if (payload == null) {
                    break;
                }
                var record = new DataInputStream(new ByteArrayInputStream(payload));
                byte type = record.readByte();
                String name = string(record);
                entries.remove(name);
                if (type == STORED) {
                    entries.put(name, entry(name, record, settings));
                }
            }
        } catch (EOFException | IllegalArgumentException e) {
            // a torn record: what was read before it counts
        }
        return new ArrayList<>(entries.values());
    }

    private static byte[] payload(DataInputStream in) throws IOException {
        int length = in.readInt();
        int sum = in.readInt();
        if (length < 1 || length > MAX) {
            return null;
        }
        byte[] payload = in.readNBytes(length);
        return payload.length == length && checksum(payload) == sum ? payload : null;
    }

    void stored(StoredResponse entry) throws IOException {
        append(record(entry));
    }

    void deleted(String name) throws IOException {
        var bytes = new ByteArrayOutputStream();
        var out = new DataOutputStream(bytes);
        out.writeByte(DELETED);
        string(name, out);
        append(framed(bytes.toByteArray()));
    }

    boolean wantsRewrite() {
        return size > 2 * rewritten + SLACK;
    }

    /** Writes the journal anew with nothing but these entries. */
    void rewrite(Collection<StoredResponse> entries) throws IOException {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        FileChannel out = FileChannel.open(fresh, CREATE, WRITE, TRUNCATE_EXISTING);
        try {
            var bytes = new ByteArrayOutputStream();
            var head = new DataOutputStream(bytes);
            head.writeLong(MAGIC);
            for (StoredResponse entry : entries) {
                bytes.write(record(entry));
                if (bytes.size() > 1 << 16) {
                    write(out, bytes.toByteArray());
                    bytes.reset();
                }
            }
            write(out, bytes.toByteArray());
            out.force(true);
            Files.move(
                    fresh,
                    file,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            out.close();
            Files.deleteIfExists(fresh);
            throw e;
        }
        if (channel != null) {
            channel.close();
        }
        channel = out;
        size = out.position();
        rewritten = size;
    }

    /** Ensures that what was written survives a failure of power. */
    void force() throws IOException {
        channel.force(true);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    /** A record that is written in part is cut off again: later ones would be lost behind it. */
    private void append(byte[] record) throws IOException {
        try {
            write(channel, record);
            size += record.length;
        } catch (IOException e) {
            channel.truncate(size);
            throw e;
        }
    }

    private static void write(FileChannel out, byte[] bytes) throws IOException {
        for (ByteBuffer rest = ByteBuffer.wrap(bytes); rest.hasRemaining(); ) {
            out.write(rest);
        }
    }

    private static int checksum(byte[] payload) {
        var sum = new CRC32C();
        sum.update(payload);
        return (int) sum.getValue();
    }

    private static byte[] framed(byte[] payload) {
        return ByteBuffer.allocate(8 + payload.length)
                .putInt(payload.length)
                .putInt(checksum(payload))
                .put(payload)
                .array();
    }

    // ---- entries

    private static byte[] record(StoredResponse entry) throws IOException {
        var bytes = new ByteArrayOutputStream();
        var out = new DataOutputStream(bytes);
        out.writeByte(STORED);
        string(((StoredBody.Disk) entry.body).name, out);
        out.writeLong(entry.body.length());
        string(entry.url, out);
        string(entry.keys, out);
        out.writeInt(entry.facts.status());
        out.writeLong(entry.facts.responseTime());
        out.writeLong(entry.facts.initialAge());
        out.writeLong(entry.facts.lifetime());
        out.writeLong(entry.facts.staleWhileRevalidate());
        out.writeLong(entry.facts.staleIfError());
        out.writeInt(entry.selector.names().size());
        for (int i = 0; i < entry.selector.names().size(); i++) {
            string(entry.selector.names().get(i), out);
            string(entry.selector.values().get(i), out);
        }
        headers(entry.headers, out);
        headers(entry.trailers, out);
        return framed(bytes.toByteArray());
    }

    private static StoredResponse entry(String name, DataInputStream in, CacheSettings settings)
            throws IOException {
        long length = in.readLong();
        String url = string(in);
        String keys = string(in);
        int status = in.readInt();
        long responseTime = in.readLong();
        long initialAge = in.readLong();
        long lifetime = in.readLong();
        long staleWhileRevalidate = in.readLong();
        long staleIfError = in.readLong();
        var names = new ArrayList<String>();
        var values = new ArrayList<String>();
        for (int left = in.readInt(); left > 0; left--) {
            names.add(string(in));
            values.add(string(in));
        }
        Headers headers = headers(in);
        Headers trailers = headers(in);
        Headers aged = headers.set("Age", Long.toString((initialAge + 999) / 1000));
        return new StoredResponse(
                url,
                keys,
                new VarySelector(List.copyOf(names), List.copyOf(values)),
                headers,
                trailers,
                ResponseFacts.of(status, aged, responseTime, responseTime, settings.rules())
                        .withTimes(lifetime, staleWhileRevalidate, staleIfError),
                new StoredBody.Disk(name, length));
    }

    private static void headers(Headers headers, DataOutputStream out) throws IOException {
        out.writeInt(headers.size());
        for (int i = 0; i < headers.size(); i++) {
            string(headers.name(i), out);
            string(headers.value(i), out);
        }
    }

    private static Headers headers(DataInputStream in) throws IOException {
        var pairs = new ArrayList<String>();
        for (int left = in.readInt(); left > 0; left--) {
            pairs.add(string(in));
            pairs.add(string(in));
        }
        return Headers.of(pairs.toArray(String[]::new));
    }

    private static void string(String text, DataOutputStream out) throws IOException {
        byte[] bytes = text.getBytes(ISO_8859_1);
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static String string(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > MAX) {
            throw new EOFException("a string of " + length + " bytes");
        }
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException("the end of a string is missing");
        }
        return new String(bytes, ISO_8859_1);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.object;

import io.sirocco.home.file.AtomicFile;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.BiConsumer;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The file {@code storage/storage.json} of a controller: global variables by name. It is replaced
 * as a whole on a thread of its own; after a crash it is the old one or the new one. A damaged file
 * is set aside beside it. Any thread.
 */
final class StorageFile {
    static final int MAX_BYTES = 1 << 20;
    private static final Duration FLUSH = Duration.ofSeconds(2);
    private static final JsonMapper JSON = JsonMapper.shared();

    private final Path file;
    private final BiConsumer<Level, String> log;
    private byte[] written = new byte[0];
    private byte[] wanted = written; // the next three are guarded by this
    private Thread writer; // null while nothing is written
    private boolean failed; // the last time; says it once
    private boolean tooLarge; // says it once

    /**
     * Creates the file of a controller, which {@link #read} opens.
     *
     * @param log receives, on any thread, the lines for the owner of the controller
     */
    StorageFile(Path runtime, BiConsumer<Level, String> log) {
        this.log = log;
        this.file = runtime.resolve("storage").resolve("storage.json");
    }

    /**
     * Reads the file, after a replacement in progress. A damaged one is moved aside. When the last
     * values could not be written, these are returned, and still wait for the disk.
     *
     * @return empty if it is there and cannot be read: it must not be replaced then
     */
    Optional<ObjectNode> read() {
        flush();
        synchronized (this) {
            if (!Arrays.equals(wanted, written)) {
                return Optional.of((ObjectNode) JSON.readTree(wanted));
            }
            written = new byte[0]; // until it is read
            wanted = written;
        }
        try {
            AtomicFile.createFolder(file.getParent());
            AtomicFile.deleteRemains(file.getParent());
            byte[] bytes = Files.readAllBytes(file);
            try {
                JsonNode node = JSON.readTree(bytes);
                if (node instanceof ObjectNode object) {
                    synchronized (this) {
                        written = bytes;
                        wanted = bytes;
                    }
                    return Optional.of(object);
                }
                setAside("it is not an object of JSON");
            } catch (JacksonException e) {
                setAside(
                        "it is not JSON, from line "
                                + (e.getLocation() == null ? 1 : e.getLocation().getLineNr()));
            }
        } catch (NoSuchFileException e) {
            // the first start
        } catch (IOException e) {
            log.accept(
                    Level.ERROR,
                    file
                            + " cannot be read ("
                            + reason(e)
                            + "): no value is restored, and none is saved until the next reset, so"
                            + " that the file is not lost");
            return Optional.empty();
        }
        return Optional.of(JSON.createObjectNode());
    }

    private void setAside(String why) throws IOException {
        Path aside = Files.createTempFile(file.getParent(), "storage.json.damaged-", "");
        Files.move(
                file, aside, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        log.accept(
                Level.ERROR,
                file
                        + " is damaged: "
                        + why
                        + ". It is kept as "
                        + aside.getFileName()
                        + "; the stored values begin anew. To restore them, repair that file and"
                        + " move it back while the controller is stopped.");
    }

    /** Returns what the system says, without the name of a class. */
    private static String reason(Throwable e) {
        return switch (e) {
            case AccessDeniedException denied -> "no permission";
            case FileSystemException failed when failed.getReason() != null -> failed.getReason();
            case OutOfMemoryError full -> "out of memory";
            default -> e.getMessage() == null ? "the system gives no reason" : e.getMessage();
        };
    }

    /** Replaces the file soon, unless it has these values already. */
    void write(ObjectNode values) {
        byte[] bytes = JSON.writeValueAsBytes(values);
        synchronized (this) {
            if (bytes.length > MAX_BYTES) {
                if (!tooLarge) {
                    log.accept(
                            Level.ERROR,
                            "the stored variables take %,d bytes, the limit is %,d: nothing is saved until they take less; the longest is %s"
                                    .formatted(bytes.length, MAX_BYTES, longest(values)));
                }
                tooLarge = true;
                return;
            }
            tooLarge = false;
            wanted = bytes;
            if (writer == null && !Arrays.equals(wanted, written)) {
                writer = Thread.ofVirtual().name("sirocco-home-storage").start(this::replace);
            }
        }
    }

    private static String longest(ObjectNode values) {
        return values.properties().stream()
                .max(
                        (a, b) ->
                                Integer.compare(
                                        a.getValue().toString().length(),
                                        b.getValue().toString().length()))
                .orElseThrow()
                .getKey();
    }

    private void replace() {
        while (true) {
            byte[] bytes;
            synchronized (this) {
                if (Arrays.equals(wanted, written)) {
                    writer = null;
                    return;
                }
                bytes = wanted;
            }
            try {
                AtomicFile.write(file, bytes);
                synchronized (this) {
                    written = bytes;
                    failed = false;
                }
            } catch (IOException | RuntimeException | Error e) { // or it would never try again
                synchronized (this) {
                    if (!failed) {
                        log.accept(
                                Level.ERROR,
                                "stored variables are not saved ("
                                        + reason(e)
                                        + "); it is tried again");
                    }
                    failed = true;
                    writer = null;
                    return; // the next call tries again
                }
            }
        }
    }

    /**
     * Waits until what was to be written is written, or could not be; up to 2 s. A disk that takes
     * longer still gets it.
     */
    void flush() {
        Thread running;
        synchronized (this) {
            running = writer;
        }
        if (running != null) {
            try {
                if (!running.join(FLUSH)) {
                    log.accept(
                            Level.WARNING,
                            file
                                    + " is not written yet after "
                                    + FLUSH.toSeconds()
                                    + " s: is the disk well?");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}

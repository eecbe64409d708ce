// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A file system (ext4, in a file) that can lose its power: what was not synced is lost. Needs root
 * and loop devices.
 */
final class FailingDisk implements AutoCloseable {
    /** The ioctl EXT4_IOC_SHUTDOWN with NOLOGFLUSH: the journal in memory is lost, too. */
    private static final String POWER_OFF =
            """
            import fcntl, os, struct, sys
            fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587d, struct.pack('I', 2))
            """;

    private final Path folder;
    private Path image;
    private int copies;

    /** Mounts a new file system at a folder. */
    FailingDisk(Path image, Path folder) throws IOException {
        this.image = image;
        this.folder = Files.createDirectories(folder);
        run("truncate", "-s", "32M", image.toString());
        run("mkfs.ext4", "-q", "-F", image.toString());
        powerOn();
    }

    private static void run(String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        if (process.onExit().join().exitValue() != 0) {
            throw new IOException(String.join(" ", command) + ": " + output);
        }
    }

    /** From now on nothing is read or written. */
    void powerOff() throws IOException {
        run("python3", "-c", POWER_OFF, folder.toString());
    }

    /**
     * Mounts it as after a restart; nothing may have files of it open. The new file system is in a
     * copy: another process may still hold the old one, as sandboxes do that copy all mounts.
     */
    void powerOnAgain() throws IOException {
        run("umount", folder.toString());
        Path next = image.resolveSibling("image-" + ++copies);
        run("cp", "--sparse=always", image.toString(), next.toString());
        Files.delete(image);
        image = next;
        powerOn();
    }

    private void powerOn() throws IOException {
        run("mount", "-o", "loop", image.toString(), folder.toString());
    }

    @Override
    public void close() throws IOException {
        run("umount", folder.toString());
    }
}

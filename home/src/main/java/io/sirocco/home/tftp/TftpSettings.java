// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.tftp;

import java.time.Duration;

/**
 * Limits of a {@link TftpServer} or a {@link TftpClient}. Immutable.
 *
 * @param maxFileSize the longest file that is received, in bytes
 * @param maxTotalSize how many bytes the files of the root may have for uploads to add more
 * @param maxFiles how many files it may have for uploads to add one
 * @param maxTransfers how many transfers a server has at once
 * @param maxTransfersPerHost how many of them a host has
 * @param idleTimeout how long after the last transfer the server ends
 * @param transferTimeout how long a transfer may last
 * @param responseTimeout how long to wait for a packet before the last one is sent again
 * @param lingerTimeout how long a receiver repeats its last acknowledgement; longer than the {@code
 *     responseTimeout} of its peer, which sends the last block again after that
 * @param tries how often a packet is sent
 */
public record TftpSettings(
        long maxFileSize,
        long maxTotalSize,
        int maxFiles,
        int maxTransfers,
        int maxTransfersPerHost,
        Duration idleTimeout,
        Duration transferTimeout,
        Duration responseTimeout,
        Duration lingerTimeout,
        int tries) {
    /**
     * 16 MiB for a file, 64 MiB for 1,000 files, 16 transfers and 4 for a host, ten minutes each,
     * three tries of 5 s, 10 s at the end.
     */
    public static final TftpSettings DEFAULTS =
            new TftpSettings(
                    16 << 20,
                    64 << 20,
                    1_000,
                    16,
                    4,
                    Duration.ofMinutes(10),
                    Duration.ofMinutes(10),
                    Duration.ofSeconds(5),
                    Duration.ofSeconds(10),
                    3);

    /** Returns the same with {@link #maxFileSize}. */
    public TftpSettings maxFileSize(long maxFileSize) {
        return new TftpSettings(
                maxFileSize,
                maxTotalSize,
                maxFiles,
                maxTransfers,
                maxTransfersPerHost,
                idleTimeout,
                transferTimeout,
                responseTimeout,
                lingerTimeout,
                tries);
    }

    /** Returns the same with {@link #maxTotalSize} and {@link #maxFiles}. */
    public TftpSettings quota(long maxTotalSize, int maxFiles) {
        return new TftpSettings(
                maxFileSize,
                maxTotalSize,
                maxFiles,
                maxTransfers,
                maxTransfersPerHost,
                idleTimeout,
                transferTimeout,
                responseTimeout,
                lingerTimeout,
                tries);
    }

    /** Returns the same with {@link #responseTimeout} and {@link #tries}. */
    public TftpSettings retry(Duration responseTimeout, int tries) {
        return new TftpSettings(
                maxFileSize,
                maxTotalSize,
                maxFiles,
                maxTransfers,
                maxTransfersPerHost,
                idleTimeout,
                transferTimeout,
                responseTimeout,
                lingerTimeout,
                tries);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

/** Where the body of a response is. */
sealed interface StoredBody {
    /** Returns the length in bytes; -1 while it is unknown. */
    long length();

    /** A body in memory. Immutable. */
    record Memory(byte[] bytes) implements StoredBody {
        @Override
        public long length() {
            return bytes.length;
        }
    }

    /** A body in a file of the {@link DiskStore}, which may delete it at any time. Any thread. */
    final class Disk implements StoredBody {
        final String name;
        private final long length;
        private volatile boolean deleted;

        Disk(String name, long length) {
            this.name = name;
            this.length = length;
        }

        @Override
        public long length() {
            return length;
        }

        boolean deleted() {
            return deleted;
        }

        void markDeleted() {
            deleted = true;
        }
    }

    /** A body that is being received. */
    record Arriving(SharedBody body, long length) implements StoredBody {}
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

import io.sirocco.http.Response;
import io.sirocco.net.OpenFile;

/** Where the bytes of a representation are. Immutable. */
sealed interface Store {
    /** How many there are. */
    long size();

    /** Returns the bytes of memory that it takes; an open file counts as {@code openFile} bytes. */
    long memory(long openFile);

    /** In memory, as a response that is kept, so that the server encodes it once. */
    record Memory(byte[] bytes, Response whole) implements Store {
        @Override
        public long size() {
            return bytes.length;
        }

        @Override
        public long memory(long openFile) {
            return bytes.length;
        }
    }

    /** On the disk, in an open file, which must be retained before it is sent. */
    record Disk(OpenFile file) implements Store {
        @Override
        public long size() {
            return file.size();
        }

        @Override
        public long memory(long openFile) {
            return openFile + (file.loaded() ? file.size() : 0);
        }
    }

    /** Not compressed yet, since nobody has requested it. */
    record Unmade() implements Store {
        @Override
        public long size() {
            throw new IllegalStateException("nobody knows how long it will be");
        }

        @Override
        public long memory(long openFile) {
            return 0;
        }
    }
}

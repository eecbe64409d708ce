// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.output;

/** Has the memory that an {@link OutputChunk} refers to. */
public interface ChunkOwner {
    /** Takes note that one chunk fewer refers to the memory. */
    void release();
}

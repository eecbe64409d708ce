// SPDX-License-Identifier: Apache-2.0

/**
 * Bytes on their way out. Internal to the module. In reading order: {@link
 * io.sirocco.net.output.OutputChunk} is a piece of output in one of four forms, {@link
 * io.sirocco.net.output.ChunkQueue} the pieces of one connection in order, and {@link
 * io.sirocco.net.output.Chunks} the write memory of a loop, from which pieces are borrowed. Knows
 * neither connections nor loops. Loop-confined.
 */
package io.sirocco.net.output;

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

/**
 * Memory that the kernel charges to the control group of the server and to that of the generator,
 * in bytes: objects, page tables, stacks, and buffers of sockets. Immutable.
 */
public record KernelShares(long server, long generator) {
    KernelShares since(KernelShares before) {
        return new KernelShares(server - before.server, generator - before.generator);
    }
}

// SPDX-License-Identifier: Apache-2.0
/**
 * Many connections that are mostly idle: whether a server keeps them, and what that costs it.
 *
 * <pre>
 *   Hold          the course of a run: opening, holding, resting
 *    |- Spread    over how many processes; each is a Part, here (OwnPart) or in a child (ChildPart, PartProcess)
 *    |   '- Keeper       the connections of one loop, each a Held; opened at the pace of a Ramp, asked by a DueQueue
 *    '- ServerCost       what the server's processes use: Processes, LiveHeap, KernelMemory
 * </pre>
 */
package io.sirocco.bench.hold;

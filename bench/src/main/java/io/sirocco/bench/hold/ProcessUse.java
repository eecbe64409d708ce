// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Memory, CPU and descriptors of the server or the generator at one moment: the sum over its
 * processes. Immutable.
 *
 * @param heap bytes of its heaps that are in use, garbage included; absent unless they are JVMs
 *     that say so
 * @param rss resident bytes
 * @param cpu how much of one core it used since the moment before
 * @param descriptors open ones; absent where counting them would cost much
 */
public record ProcessUse(OptionalLong heap, long rss, double cpu, OptionalInt descriptors) {}

// SPDX-License-Identifier: Apache-2.0

/**
 * The race of servers: builds them, pins them, checks what they answer, measures them in turn.
 * Start with {@link io.sirocco.bench.compare.Compare}.
 */
package io.sirocco.bench.compare;

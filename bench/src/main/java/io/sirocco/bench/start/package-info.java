// SPDX-License-Identifier: Apache-2.0

/** How long a server takes to start, and what it keeps of memory while it does nothing. */
package io.sirocco.bench.start;

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import java.util.concurrent.atomic.LongAdder;

/** The counters behind {@link CacheStats}. Any thread. */
final class CacheCounters {
    final LongAdder hits = new LongAdder();
    final LongAdder misses = new LongAdder();
    final LongAdder revalidated = new LongAdder();
    final LongAdder stale = new LongAdder();
    final LongAdder collapsed = new LongAdder();
    final LongAdder bypassed = new LongAdder();
    final LongAdder stored = new LongAdder();
}

// SPDX-License-Identifier: Apache-2.0

/**
 * The Ring adapter's hot path: request maps whose values are computed on access, responses that are
 * read from maps, WebSockets and channels. Programs use the Clojure namespaces {@code sirocco.ring}
 * and {@code sirocco.ring.websocket}.
 *
 * <pre>
 *   Request ─▶ {@link io.sirocco.ring.RingAdapter} ─▶ {@link io.sirocco.ring.RingRequest} ─▶ Ring handler
 *                      │                                                     │
 *   Response ◀─────────┴── {@link io.sirocco.ring.RingResponses} ◀──── map ───┘
 * </pre>
 */
package io.sirocco.ring;

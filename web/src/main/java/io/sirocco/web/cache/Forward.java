// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

/** Why a request goes to the origin (RFC 9211 2.2). Immutable. */
enum Forward {
    BYPASS("bypass"),
    METHOD("method"),
    URI_MISS("uri-miss"),
    VARY_MISS("vary-miss"),
    REQUEST("request"),
    STALE("stale");

    final String token;

    Forward(String token) {
        this.token = token;
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a server has to be told to have us back as the same: the private name of the session, and
 * the offset of the last event, which came with it as its last argument. Loop-confined.
 */
final class Resumption {
    private String pid; // null when the session cannot be recovered
    private String offset; // null when there was no event

    /** Adds what is known of the last session. */
    void addTo(ObjectNode auth) {
        if (pid != null) { // without an offset as well: what was missed before it is a gap
            auth.put("pid", pid);
        }
        if (pid != null && offset != null) {
            auth.put("offset", offset);
        }
    }

    /** The server has let us in; answers whether as the same. */
    boolean joined(JsonNode connect) {
        String stated = connect.path("pid").isString() ? connect.get("pid").stringValue() : null;
        boolean recovered = stated != null && stated.equals(pid);
        if (!recovered) {
            offset = null;
        }
        pid = stated;
        return recovered;
    }

    /** An event has come. */
    void heard(Incoming event) {
        if (pid != null && event.isPlain()) {
            event.lastText().ifPresent(text -> offset = text);
        }
    }
}

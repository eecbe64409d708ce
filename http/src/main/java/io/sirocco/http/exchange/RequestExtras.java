// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.exchange;

import io.sirocco.http.Params;
import java.util.Map;
import java.util.Set;

/** The parts of a {@link RequestMessage} that few requests need. Used by one thread at a time. */
final class RequestExtras {
    Forwarded forwarded; // null if no trusted proxy says on whose behalf it asks
    MessageBody body;
    Params query;
    Params form;
    Map<String, String> cookies;
    Map<String, Object> attributes;
    Set<String> codings; // null if all that the client accepts are to be seen
    String rejectedBy; // null if no filter refuses it
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.h1;

import io.sirocco.http.message.HeadLimits;
import java.util.List;

/** All that a reader made of the bytes of one connection, for comparing two readers. */
record Reading(List<Message> messages, Ending ending) {

    /** What became of the bytes behind the last whole message. */
    enum Ending {
        /** There are none, or they begin a message. */
        OPEN,
        REJECTED
    }

    record Message(
            String method,
            String target,
            String path,
            String query,
            String host,
            int port,
            int minor,
            boolean keepAlive,
            boolean expectContinue,
            boolean upgrade,
            List<String> fields,
            String body,
            List<String> trailers,
            int end) {}

    /** Limits small enough that mutations meet them. */
    static final HeadLimits LIMITS = new HeadLimits(600, 80, 16);

    /** Most bytes of a body. */
    static final int BODY = 2000;
}

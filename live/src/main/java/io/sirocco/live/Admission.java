// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import java.util.Optional;

/** Whether a client may come in. Immutable. */
public sealed interface Admission {

    /** It may. */
    record Admitted(Optional<String> user) implements Admission {}

    /** It may not, and is told why. */
    record Refused(String message) implements Admission {}

    /** It may, as this user. */
    static Admission as(String user) {
        return new Admitted(Optional.of(user));
    }

    /** It may, as nobody in particular. */
    static Admission anybody() {
        return new Admitted(Optional.empty());
    }

    /** It may not; the message is for the client. */
    static Admission refused(String message) {
        return new Refused(message);
    }
}

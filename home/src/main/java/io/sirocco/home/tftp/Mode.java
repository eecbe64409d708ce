// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.tftp;

import java.util.Locale;

/** How the content of a file is sent (RFC 1350 1). Immutable. */
public enum Mode {
    /** As it is. */
    OCTET,
    /** As lines of text, which end with CR and LF; see {@link NetAscii}. */
    NETASCII;

    /** Returns its name in a request. */
    String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.message;

/** The four forms of a request target, RFC 9112 3.2. Immutable. */
public enum TargetForm {
    /** {@code /path?query}. */
    ORIGIN,
    /** {@code http://host/path?query}: its authority goes before the Host field. */
    ABSOLUTE,
    /** {@code host:port}, in CONNECT and nowhere else. */
    AUTHORITY,
    /** {@code *}, in OPTIONS and nowhere else. */
    ASTERISK
}

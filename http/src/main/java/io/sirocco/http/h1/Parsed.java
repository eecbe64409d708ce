// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.h1;

/** What {@link Head#parse} or {@link ResponseHead#parse} found. Immutable. */
public enum Parsed {
    /** A whole head; everything about it can be read. */
    COMPLETE,
    /** A good beginning: parse again from its first byte when there are more. */
    INCOMPLETE,
    /** Whatever comes, this is no message: see {@link Head#rule}. */
    REJECTED
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

/** The form of the values of a report to a client. Immutable. */
public enum ReportForm {
    /** {@code {1, 19:26:35, hi, 24.137}}: Object Manager reads it. */
    PLAIN,
    /**
     * {@code {1,"19:26:35","hi",24.14}}: the form of the vendor's controllers, which other clients
     * expect.
     */
    QUOTED
}

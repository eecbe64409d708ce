// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

/**
 * More wants to look at the disk than may wait for it, or than there are descriptors for. Has no
 * stack trace: load causes it, not code.
 */
final class Busy extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Busy() {
        super("too many look at the disk", null, false, false);
    }
}

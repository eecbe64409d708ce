// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

/**
 * Too much work waits for the disk, or too many files are open. Has no stack trace: load causes it,
 * not code.
 */
final class Busy extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Busy() {
        super("too many look at the disk", null, false, false);
    }
}

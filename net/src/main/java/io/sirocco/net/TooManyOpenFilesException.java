// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.nio.file.FileSystemException;

/**
 * Thrown when a file cannot be opened now because the process (EMFILE) or the system (ENFILE) has
 * no descriptor left. The cause is load, so a server responds with 503 rather than 500.
 */
public final class TooManyOpenFilesException extends FileSystemException {
    private static final long serialVersionUID = 1;

    TooManyOpenFilesException(String file, String reason) {
        super(file, null, reason);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.nio.file.FileSystemException;

/**
 * A file cannot be opened now, since the process (EMFILE) or the system (ENFILE) has no descriptor
 * left. It is load that causes it, so a server answers with 503 and not with 500.
 */
public final class TooManyOpenFilesException extends FileSystemException {
    private static final long serialVersionUID = 1;

    TooManyOpenFilesException(String file, String reason) {
        super(file, null, reason);
    }
}

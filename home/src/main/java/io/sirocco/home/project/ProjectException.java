// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.project;

import java.io.IOException;

/**
 * A project file that cannot be used. The message names the file, the element, and what to do.
 * Immutable.
 */
public final class ProjectException extends IOException {
    ProjectException(String message) {
        super(message);
    }

    ProjectException(String message, Throwable cause) {
        super(message, cause);
    }
}

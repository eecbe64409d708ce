// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

import io.sirocco.http.Filter;
import java.util.Optional;

/**
 * Access rules of single files, for a {@link FileServer} that serves another file than a path
 * names: the index page of a directory, a fallback, the page of 404. Any thread.
 */
@FunctionalInterface
public interface FileRules {
    /** No file has rules of its own. */
    FileRules NONE = path -> Optional.empty();

    /**
     * Returns the rules that a request still has to pass before it gets a file.
     *
     * @param path of the file, from the root on, decoded, with a slash before it
     */
    Optional<Filter> of(String path);
}

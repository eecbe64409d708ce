// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

import java.util.List;

/** The value of {@code Cache-Control} for the files that one of the patterns matches. Immutable. */
record CacheRule(List<Glob> files, String value) {

    boolean matches(String path) {
        return files.stream().anyMatch(glob -> glob.matches(path));
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

/** What a path leads to. Immutable. */
sealed interface Entry permits Entry.Nothing, FileEntry {
    /** Results without a file. */
    enum Nothing implements Entry {
        /** There is no such file. */
        MISSING,
        /** The system does not let us read it. */
        FORBIDDEN,
        /** It is a directory, and the path has no slash behind it. */
        UNSLASHED,
        /** It is a directory without an index. */
        LISTED
    }
}

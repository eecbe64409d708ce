// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

import io.sirocco.http.HttpDate;
import io.sirocco.web.conditional.EntityTagList;
import java.util.OptionalLong;

/** The conditions of a request, in the order of RFC 9110 13.2.2. Any thread. */
enum Preconditions {
    /** Answer as if there were no condition. */
    PASS,
    /** 304: the client has it. */
    NOT_MODIFIED,
    /** 412: it is not what the client takes it for. */
    FAILED;

    /**
     * @param tag the strong tag of the representation that was selected
     * @param modified in seconds since 1970
     * @param now the same
     */
    static Preconditions of(FileRequest asked, String tag, long modified, long now) {
        if (asked.ifMatch() != null) {
            if (!EntityTagList.contains(asked.ifMatch(), tag, false)) return FAILED;
        } else if (asked.ifUnmodifiedSince() != null) {
            OptionalLong date = HttpDate.parse(asked.ifUnmodifiedSince(), now);
            if (date.isPresent() && modified > date.getAsLong()) return FAILED;
        }
        if (asked.ifNoneMatch() != null) {
            return EntityTagList.contains(asked.ifNoneMatch(), tag, true) ? NOT_MODIFIED : PASS;
        }
        if (asked.ifModifiedSince() != null) {
            OptionalLong date = HttpDate.parse(asked.ifModifiedSince(), now);
            if (date.isPresent() && modified <= date.getAsLong()) return NOT_MODIFIED;
        }
        return PASS;
    }

    /**
     * Returns whether {@code Range} counts: without {@code If-Range}, or when that has this strong
     * tag, or the very date of the last change (RFC 9110 13.1.5), a minute or more ago (8.8.2.2).
     */
    static boolean rangeApplies(FileRequest asked, String tag, long modified, long now) {
        String value = asked.ifRange();
        if (value == null) {
            return true;
        }
        if (value.startsWith("\"") || value.startsWith("W/")) {
            return value.equals(tag);
        }
        OptionalLong date = HttpDate.parse(value, now);
        return date.isPresent() && date.getAsLong() == modified && modified <= now - 60;
    }
}

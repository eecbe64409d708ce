// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

import io.sirocco.http.Headers;
import io.sirocco.http.HttpDate;
import io.sirocco.web.compress.Coding;

/**
 * What all representations of a file have in common. Immutable.
 *
 * @param type its media type
 * @param cacheControl the value of this field; null for none
 * @param modified in seconds since 1970; not in the future, which HTTP forbids (RFC 9110 8.8.2.1)
 * @param choice whether {@code Accept-Encoding} chooses among several
 * @param ranges whether parts of it are sent
 */
record Description(
        String type, String cacheControl, long modified, boolean choice, boolean ranges) {

    /** Of a response with content. */
    Headers fields(Coding coding, String tag, boolean withRanges) {
        Headers fields =
                plain(coding).with("ETag", tag).with("Last-Modified", HttpDate.format(modified));
        if (cacheControl != null) {
            fields = fields.with("Cache-Control", cacheControl);
        }
        return withRanges ? fields.with("Accept-Ranges", ranges ? "bytes" : "none") : fields;
    }

    /** Of a page that stands for another status. */
    Headers plain(Coding coding) {
        Headers fields = Headers.of("Content-Type", type);
        if (coding != null) {
            fields = fields.with("Content-Encoding", coding.token());
        }
        return choice ? fields.with("Vary", "Accept-Encoding") : fields;
    }

    /** Of 304 (RFC 9110 15.4.5). */
    Headers validators(String tag) {
        Headers fields = Headers.of("ETag", tag);
        if (cacheControl != null) {
            fields = fields.with("Cache-Control", cacheControl);
        }
        return choice ? fields.with("Vary", "Accept-Encoding") : fields;
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

import io.sirocco.http.Filter;
import io.sirocco.http.Request;
import java.util.Optional;

/**
 * What a request says that matters for a file, taken out of it so that it may be answered
 * elsewhere, when the request itself must not be touched. A field that is absent is null.
 * Immutable.
 *
 * @param path as it was sent
 * @param query as it was sent, with its question mark; empty without one
 * @param rules of the files that the path leads to, other than the one it names
 */
record FileRequest(
        boolean head,
        String path,
        String query,
        String accept,
        String acceptEncoding,
        String ifMatch,
        String ifNoneMatch,
        String ifModifiedSince,
        String ifUnmodifiedSince,
        String ifRange,
        String range,
        FileRules rules) {

    /** Of a {@code GET} or a {@code HEAD}. */
    static FileRequest of(Request request, FileRules rules) {
        String target = request.target();
        int question = target.indexOf('?');
        boolean head = request.method().equals("HEAD");
        return new FileRequest(
                head,
                target.startsWith("/") && question < 0 ? target : request.path(),
                question < 0 ? "" : target.substring(question),
                list(request, "Accept"),
                list(request, "Accept-Encoding"),
                list(request, "If-Match"),
                list(request, "If-None-Match"),
                field(request, "If-Modified-Since"),
                field(request, "If-Unmodified-Since"),
                field(request, "If-Range"),
                head ? null : field(request, "Range"), // RFC 9110 14.2: defined for GET only
                rules);
    }

    private static String list(Request request, String name) {
        return request.headerList(name).orElse(null);
    }

    private static String field(Request request, String name) {
        return request.header(name).orElse(null);
    }

    /**
     * Whether the response is the same for all who ask so: most requests, of which most are hot.
     */
    boolean unconditional() {
        return ifMatch == null
                && ifNoneMatch == null
                && ifModifiedSince == null
                && ifUnmodifiedSince == null
                && range == null;
    }

    /** The same without conditions and ranges: for a page that stands for another status. */
    FileRequest plainly() {
        return new FileRequest(
                head,
                path,
                query,
                accept,
                acceptEncoding,
                null,
                null,
                null,
                null,
                null,
                null,
                rules);
    }

    /** The same for a request that has passed the rules of a file. */
    FileRequest passed(String file) {
        return new FileRequest(
                head,
                path,
                query,
                accept,
                acceptEncoding,
                ifMatch,
                ifNoneMatch,
                ifModifiedSince,
                ifUnmodifiedSince,
                ifRange,
                range,
                other -> other.equals(file) ? Optional.<Filter>empty() : rules.of(other));
    }
}

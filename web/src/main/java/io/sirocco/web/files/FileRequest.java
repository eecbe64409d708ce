// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

import io.sirocco.http.ErrorPages;
import io.sirocco.http.Filter;
import io.sirocco.http.Handler;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.Status;
import java.util.Optional;

/**
 * The parts of a request that matter for a file, copied from it for use on other threads, where the
 * request must not be touched. An absent header is null. Immutable.
 *
 * @param path as the client sent it
 * @param query as the client sent it, with its question mark; empty if there is none
 * @param otherwise responds where no file exists; null for the pages of the server
 * @param rules of the files that the path leads to, other than the one that it names
 * @param pages of the server
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
        Handler otherwise,
        FileRules rules,
        ErrorPages pages) {

    /** Returns the parts of a {@code GET} or {@code HEAD} request. */
    static FileRequest of(Request request, Handler otherwise, FileRules rules) {
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
                otherwise,
                rules,
                request.errorPages());
    }

    private static String list(Request request, String name) {
        return request.headerList(name).orElse(null);
    }

    private static String field(Request request, String name) {
        return request.header(name).orElse(null);
    }

    /** Returns whether the response does not depend on the client, as for most requests. */
    boolean unconditional() {
        return ifMatch == null
                && ifNoneMatch == null
                && ifModifiedSince == null
                && ifUnmodifiedSince == null
                && range == null;
    }

    /** Returns the error page of the server for a status. */
    Response page(int status) {
        return pages.page(status, Status.reason(status));
    }

    /** Returns the same request without conditions and ranges, for a page with another status. */
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
                otherwise,
                rules,
                pages);
    }

    /** Returns the same request after it has passed the rules of a file. */
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
                otherwise,
                other -> other.equals(file) ? Optional.<Filter>empty() : rules.of(other),
                pages);
    }
}

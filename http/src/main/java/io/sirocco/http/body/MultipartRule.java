// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.body;

import io.sirocco.http.BadRequest;

/** The reasons for rejecting a multipart body: status, message to the client, source. Immutable. */
public enum MultipartRule {
    DELIMITER_LINE(400, "Something follows a boundary on its line.", "RFC 2046 5.1.1"),
    BARE_LF(400, "A line of a part's head ends without CR.", "RFC 5322 2.2"),
    HEADER_NAME(400, "A part has a header whose name is not a token.", "RFC 5322 3.6.8"),
    HEADER_FOLDED(400, "A part has a header that continues on the next line.", "RFC 9112 5.2"),
    HEADER_VALUE(400, "A part has a header with control characters.", "RFC 5322 2.2"),
    DISPOSITION(400, "A part has no Content-Disposition: form-data with a name.", "RFC 7578 4.2"),
    TRUNCATED(400, "The body ends before its final boundary.", "RFC 2046 5.1.1"),
    HEADERS_TOO_LARGE(413, "The head of a part is too large.", "RFC 9110 15.5.14"),
    PART_TOO_LARGE(413, "A part is too large.", "RFC 9110 15.5.14"),
    TOO_MANY_PARTS(413, "There are too many parts.", "RFC 9110 15.5.14"),
    BODY_TOO_LARGE(413, "The parts are too large altogether.", "RFC 9110 15.5.14");

    final int status;
    final String message;
    final String source;

    MultipartRule(int status, String message, String source) {
        this.status = status;
        this.message = message;
        this.source = source;
    }

    public BadRequest failure() {
        return new BadRequest(status, message);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.body;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.http.Headers;
import io.sirocco.http.message.CheckedHeaders;
import io.sirocco.http.message.Grammar;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Reads the header lines of one part, up to the empty line. Values are UTF-8, as browsers send the
 * names of files (RFC 7578 5.1). Strict about line ends and names, as a proxy behind us may be
 * lenient. One thread at a time.
 */
final class PartHead {

    sealed interface Result {
        record Incomplete() implements Result {}

        record Complete(Headers headers) implements Result {}

        record Rejected(MultipartRule rule) implements Result {}
    }

    private static final Result INCOMPLETE = new Result.Incomplete();

    private final int limit;
    private byte[] line = new byte[128];
    private int length;
    private int total;
    private final List<String> pairs = new ArrayList<>();
    private Result result = INCOMPLETE;

    PartHead(int limit) {
        this.limit = limit;
    }

    void clear() {
        length = 0;
        total = 0;
        pairs.clear();
        result = INCOMPLETE;
    }

    Result result() {
        return result;
    }

    /** Reads on; returns the index behind the last byte taken. */
    int read(byte[] bytes, int from, int to) {
        int at = from;
        while (at < to && result == INCOMPLETE) {
            accept(bytes[at++]);
        }
        return at;
    }

    private void accept(byte b) {
        if (total++ == limit) {
            reject(MultipartRule.HEADERS_TOO_LARGE);
        } else if (b != '\n') {
            line = length == line.length ? Arrays.copyOf(line, 2 * length) : line;
            line[length++] = b;
        } else if (length == 0 || line[length - 1] != '\r') {
            reject(MultipartRule.BARE_LF);
        } else if (length == 1) {
            result = new Result.Complete(CheckedHeaders.ofText(pairs));
        } else {
            field(new String(line, 0, length - 1, UTF_8));
            length = 0;
        }
    }

    private void field(String text) {
        int colon = text.indexOf(':');
        String name = colon < 0 ? text : text.substring(0, colon);
        String value = colon < 0 ? "" : Grammar.trim(text.substring(colon + 1));
        if (Grammar.isBlank(text.charAt(0))) {
            reject(MultipartRule.HEADER_FOLDED);
        } else if (colon < 0 || !Grammar.isToken(name)) {
            reject(MultipartRule.HEADER_NAME);
        } else if (!Grammar.isFieldText(value)) {
            reject(MultipartRule.HEADER_VALUE);
        } else {
            pairs.add(name);
            pairs.add(value);
        }
    }

    private void reject(MultipartRule rule) {
        result = new Result.Rejected(rule);
    }
}

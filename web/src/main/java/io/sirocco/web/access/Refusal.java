// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.access;

import io.sirocco.http.ErrorPages;
import io.sirocco.http.Headers;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.Status;
import java.util.concurrent.atomic.LongAdder;

/**
 * The response of a rule that refuses requests, and the count of its uses. It is made of the error
 * pages of the server at the first use, and kept: cheap under a flood. Any thread.
 */
final class Refusal {
    private final String rule;
    private final LongAdder count;
    private final int status;
    private final Headers headers;
    private volatile Made made; // threads may race to put an equal one there

    private record Made(ErrorPages pages, Response response) {}

    Refusal(String rule, LongAdder count, int status, Headers headers) {
        this.rule = rule;
        this.count = count;
        this.status = status;
        this.headers = headers;
    }

    Response answer(Request request) {
        count.increment();
        request.rejectedBy(rule);
        ErrorPages pages = request.errorPages();
        Made known = made;
        if (known == null || known.pages != pages) { // the first, or of another server
            Response page = pages.page(status, Status.reason(status));
            known = new Made(pages, page.headers(page.headers().with(headers)));
            made = known;
        }
        return known.response;
    }

    Refusal header(String name, String value) {
        return new Refusal(rule, count, status, headers.with(name, value));
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.access;

import io.sirocco.http.Request;
import io.sirocco.http.Response;
import java.util.concurrent.atomic.LongAdder;

/**
 * The response of a rule that refuses requests, made in advance, and the count of its uses: cheap
 * under a flood. Any thread.
 */
record Refusal(String rule, LongAdder count, Response response) {

    Response answer(Request request) {
        count.increment();
        request.rejectedBy(rule);
        return response;
    }

    Refusal header(String name, String value) {
        return new Refusal(rule, count, response.header(name, value));
    }
}

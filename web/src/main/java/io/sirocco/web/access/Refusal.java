// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.access;

import io.sirocco.http.Response;
import java.util.concurrent.atomic.LongAdder;

/** A response that a rule has ready, and the count of its uses: cheap under a flood. Any thread. */
record Refusal(LongAdder count, Response response) {

    Response answer() {
        count.increment();
        return response;
    }

    Refusal header(String name, String value) {
        return new Refusal(count, response.header(name, value));
    }
}

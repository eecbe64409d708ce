// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.engine;

import io.sirocco.http.Request;
import io.sirocco.http.Response;
import java.util.Optional;

/** Headers by which pages of other origins use long polling (Fetch Standard 3.2). */
final class CrossOrigin {
    private CrossOrigin() {}

    /** Lets the page read the response. */
    static Response allow(Response response, Optional<String> origin) {
        if (origin.isEmpty()) {
            return response;
        }
        return response.setHeader("Access-Control-Allow-Origin", origin.get())
                .setHeader("Access-Control-Allow-Credentials", "true")
                .setHeader("Vary", "Origin");
    }

    /** Responds to a preflight request. */
    static Response preflight(Request request) {
        Response response =
                Response.empty(204)
                        .header("Access-Control-Allow-Methods", "GET, POST")
                        .header("Access-Control-Max-Age", "600");
        Optional<String> fields = request.headerList("Access-Control-Request-Headers");
        return fields.isEmpty()
                ? response
                : response.header("Access-Control-Allow-Headers", fields.get());
    }
}

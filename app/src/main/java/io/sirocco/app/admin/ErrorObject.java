// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.admin;

import io.sirocco.http.Response;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/** Creates error responses in the format of {@code docs/live.md}. */
public final class ErrorObject {
    private ErrorObject() {}

    /** Returns a response with {@code {"error": {"code": ..., "message": ...}}}. */
    public static Response response(int status, String code, String message) {
        var error = Map.of("error", Map.of("code", code, "message", message));
        return Response.json(JsonMapper.shared().writeValueAsString(error)).status(status);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.admin;

import io.sirocco.http.Response;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/** Says why a program does not get what it asked for, as {@code docs/live.md} has it. */
public final class ErrorObject {
    private ErrorObject() {}

    /** A response with {@code {"error": {"code": ..., "message": ...}}}. */
    public static Response response(int status, String code, String message) {
        var error = Map.of("error", Map.of("code", code, "message", message));
        return Response.json(JsonMapper.shared().writeValueAsString(error)).status(status);
    }
}

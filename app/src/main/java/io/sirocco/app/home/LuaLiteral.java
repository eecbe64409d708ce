// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.home;

import io.sirocco.app.admin.JsonBody;
import io.sirocco.app.admin.Refused;
import java.nio.charset.StandardCharsets;
import tools.jackson.databind.JsonNode;

/** Formats values as Lua source text. Any thread. */
final class LuaLiteral {
    private LuaLiteral() {}

    /** Returns a string literal; it contains printable ASCII only. */
    static String of(String text) {
        var literal = new StringBuilder("\"");
        for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
            if (each >= 0x20 && each < 0x7f && each != '"' && each != '\\') {
                literal.append((char) each);
            } else {
                literal.append("\\%03d".formatted(each & 0xff));
            }
        }
        return literal.append('"').toString();
    }

    /** Returns a JSON value that is a number, a string, true, false or null. */
    static String of(JsonNode value) throws Refused {
        if (value.isNumber() && Double.isFinite(value.asDouble())) {
            return value.isIntegralNumber() && value.canConvertToInt()
                    ? Integer.toString(value.intValue())
                    : Double.toString(value.asDouble());
        }
        if (value.isString()) {
            return of(value.stringValue());
        }
        if (value.isBoolean() || value.isNull()) {
            return value.isNull() ? "nil" : Boolean.toString(value.booleanValue());
        }
        throw JsonBody.bad("a value must be a number, a string, true, false or null");
    }
}

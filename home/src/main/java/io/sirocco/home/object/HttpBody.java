// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.object;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.http.BadRequest;
import io.sirocco.http.MediaType;
import io.sirocco.http.Params;
import io.sirocco.http.Percent;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import javax.xml.stream.XMLStreamException;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;
import tools.jackson.core.JacksonException;

/**
 * Bodies of HTTP as values of Lua, by type: 0 none, 1 text, 2 JSON ({@link LuaJson}), 3 XML ({@link
 * LuaXml}), 4 form, 5 other. A form is a table of strings; a name that occurs several times has an
 * array of strings. A body of type 5 is a string of its bytes. Any thread.
 */
enum HttpBody {
    NONE(""),
    TEXT("text/plain; charset=utf-8"),
    JSON("application/json"),
    XML("application/xml"),
    FORM("application/x-www-form-urlencoded"),
    OTHER("");

    static final int MAX_BYTES = 1 << 20;
    private static final int MAX_FIELDS = 1_000;

    private final String contentType;

    HttpBody(String contentType) {
        this.contentType = contentType;
    }

    /** Returns the header to send, empty for none. */
    String contentType() {
        return contentType;
    }

    /** Returns the type that a script gives by its number or its name; empty if it is none. */
    static Optional<HttpBody> of(LuaValue number) {
        if (number instanceof LuaString name && !number.isnumber()) {
            return Arrays.stream(values())
                    .filter(each -> each.name().equalsIgnoreCase(LuaText.text(name)))
                    .findFirst();
        }
        boolean valid =
                number.isint() && number.toint() >= 0 && number.toint() < HttpBody.values().length;
        return valid ? Optional.of(values()[number.toint()]) : Optional.empty();
    }

    /** Returns the type of a body by its Content-Type, which may be missing. */
    static HttpBody of(Optional<MediaType> type, int length) {
        if (length == 0) {
            return NONE;
        }
        String essence = type.map(MediaType::essence).orElse("");
        if (essence.equals("application/json") || essence.endsWith("+json")) {
            return JSON;
        }
        if (essence.equals("application/xml")
                || essence.equals("text/xml")
                || essence.endsWith("+xml")) {
            return XML;
        }
        return switch (essence) {
            case "application/x-www-form-urlencoded" -> FORM;
            case "text/plain" -> TEXT;
            default -> OTHER;
        };
    }

    /**
     * Parses a body.
     *
     * @throws IOException if it is not of this type; the message, which is for its sender, says why
     */
    LuaValue parse(byte[] body, Optional<MediaType> type) throws IOException {
        try {
            return switch (this) {
                case NONE -> LuaValue.NIL;
                case TEXT ->
                        LuaText.of(
                                new String(
                                        body,
                                        type.map(media -> media.charset(UTF_8)).orElse(UTF_8)));
                case JSON -> LuaJson.parse(new String(body, UTF_8));
                case XML -> LuaXml.parse(body);
                case FORM -> fields(Params.of(new String(body, UTF_8), MAX_FIELDS));
                case OTHER -> LuaString.valueUsing(body);
            };
        } catch (JacksonException e) {
            throw new IOException(
                    "the body is not JSON that is accepted: " + LuaJson.problem(e), e);
        } catch (XMLStreamException e) {
            throw new IOException("the body is not XML that is accepted: " + LuaXml.problem(e), e);
        } catch (BadRequest e) {
            throw new IOException("the body is not a form: " + e.getMessage(), e);
        }
    }

    /**
     * Returns a value as a body.
     *
     * @throws LuaError if it has no form in this type
     */
    byte[] write(LuaValue value) {
        return switch (this) {
            case NONE -> new byte[0];
            case JSON -> LuaJson.write(value).getBytes(UTF_8);
            case XML -> LuaXml.write(value);
            case FORM ->
                    (value.istable() ? form(value.checktable()) : string(value)).getBytes(UTF_8);
            case TEXT, OTHER -> {
                if (value instanceof LuaString text) {
                    byte[] bytes = new byte[text.m_length];
                    text.copyInto(0, bytes, 0, bytes.length);
                    yield bytes;
                }
                yield string(value).getBytes(UTF_8);
            }
        };
    }

    private String string(LuaValue value) {
        if (value.istable() || value.isfunction() || value.isuserdata()) {
            throw new LuaError(
                    "a body of type "
                            + ordinal()
                            + " is a string, not a "
                            + value.typename()
                            + "; type 2 is JSON");
        }
        return value.isnil() ? "" : LuaText.text(value);
    }

    /**
     * Returns names and values as a table.
     *
     * @throws BadRequest if {@link KeyLimits} does not allow the names
     */
    static LuaTable fields(Params params) {
        Optional<String> problem = KeyLimits.problem(params.asMap().keySet());
        if (problem.isPresent()) {
            throw new BadRequest(problem.get());
        }
        var table = new LuaTable(0, params.asMap().size());
        for (Map.Entry<String, List<String>> each : params.asMap().entrySet()) {
            LuaValue[] values = each.getValue().stream().map(LuaText::of).toArray(LuaValue[]::new);
            table.rawset(
                    LuaText.of(each.getKey()),
                    values.length == 1 ? values[0] : LuaValue.listOf(values));
        }
        return table;
    }

    /** Returns a table as a form or a query. */
    static String form(LuaTable table) {
        var form = new StringJoiner("&");
        for (LuaValue key : LuaJson.keys(table)) {
            LuaValue value = table.rawget(key);
            if (value instanceof LuaTable array && LuaJson.isArray(array)) {
                for (int i = 1; i <= array.rawlen(); i++) {
                    form.add(field(key, array.rawget(i)));
                }
            } else {
                form.add(field(key, value));
            }
        }
        return form.toString();
    }

    private static String field(LuaValue key, LuaValue value) {
        if (value.istable() || value.isfunction()) {
            throw new LuaError(
                    "the field "
                            + LuaText.text(key)
                            + " of a form is a string, not a "
                            + value.typename());
        }
        return Percent.encode(LuaText.text(key)) + "=" + Percent.encode(LuaText.text(value));
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.object;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaInteger;
import org.luaj.vm2.LuaNumber;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaUserdata;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;
import org.luaj.vm2.lib.OneArgFunction;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * Values of Lua as JSON. The script language has no null inside tables, so null members become
 * {@link #NULL}, which scripts know as the global {@code null}; null alone is nil.
 *
 * <table>
 * <caption>Conversion</caption>
 * <tr><td>array</td><td>table with the keys 1 to n; an empty one remembers that it is an array
 *     </td></tr>
 * <tr><td>object</td><td>table with strings as keys; numbers as keys become strings</td></tr>
 * <tr><td>number</td><td>number; whole ones are written without a fraction; NaN and infinity are
 *     errors, and so are numbers that are too large for a double</td></tr>
 * <tr><td>string</td><td>string in UTF-8</td></tr>
 * </table>
 *
 * <p>Tables may be nested 64 deep. JSON that is parsed may have 200,000 tokens (a string, a number
 * or a name is one, an array or object two), and names as {@link KeyLimits} allows. A table that is
 * written has up to 100,000 values and 1 MiB of text. Any thread, as far as the values allow it.
 */
final class LuaJson {
    /** Stands for null in tables. Immutable. */
    static final LuaValue NULL = new LuaUserdata("null", protectedMetatable("null"));

    static final int MAX_DEPTH = 64;
    private static final int MAX_VALUES = 100_000;
    private static final int MAX_BYTES = 1 << 20;
    private static final long MAX_TOKENS = 200_000;
    private static final LuaTable EMPTY_ARRAY = protectedMetatable("array");
    private static final double MAX_WHOLE = 1L << 53;
    private static final JsonMapper JSON =
            JsonMapper.builder(
                            JsonFactory.builder()
                                    .streamReadConstraints(
                                            StreamReadConstraints.builder()
                                                    .maxNestingDepth(MAX_DEPTH)
                                                    .maxTokenCount(MAX_TOKENS)
                                                    .build())
                                    .build())
                    .build();
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    /** A text that is JSON, but is not accepted; the message is for its sender. */
    private static final class Refused extends StreamConstraintsException {
        private static final long serialVersionUID = 1;

        Refused(String message) {
            super(message);
        }
    }

    private LuaJson() {}

    /** Returns a metatable that scripts cannot change. */
    static LuaTable protectedMetatable(String text) {
        var metatable = new LuaTable();
        metatable.set("__metatable", LuaValue.FALSE); // scripts cannot change what all share
        metatable.set(
                "__tostring",
                new OneArgFunction() {
                    @Override
                    public LuaValue call(LuaValue value) {
                        return LuaValue.valueOf(text);
                    }
                });
        return metatable;
    }

    /**
     * Parses JSON.
     *
     * @throws JacksonException if it is none, or exceeds a limit
     */
    static LuaValue parse(String json) {
        JsonNode node = JSON.readTree(json);
        check(node);
        return node.isNull() || node.isMissingNode() ? LuaValue.NIL : toLua(node);
    }

    /** Returns what is wrong with a text, for its sender: without the words of the parser. */
    static String problem(JacksonException e) {
        if (e instanceof Refused) {
            return e.getOriginalMessage();
        }
        String what =
                e instanceof StreamConstraintsException
                        ? "it exceeds a limit: 64 levels, 200,000 tokens, 1,000 digits of a number,"
                                + " 50,000 characters of a name"
                        : "its syntax is wrong";
        TokenStreamLocation at = e.getLocation();
        return at == null || at.getLineNr() < 1 || at.getColumnNr() < 1
                ? what
                : what + ", at line " + at.getLineNr() + ", column " + at.getColumnNr();
    }

    private static void check(JsonNode node) {
        if (node.isObject()) {
            Optional<String> problem = KeyLimits.problem(node.propertyNames());
            if (problem.isPresent()) {
                throw new Refused(problem.get());
            }
        }
        if (node.isNumber() && Double.isInfinite(number(node))) {
            throw new Refused("it has a number beyond 1.7e308, the largest of a script");
        }
        node.forEach(LuaJson::check);
    }

    /**
     * Returns JSON on one line.
     *
     * @throws LuaError if the value has no form in JSON, such as a function
     */
    static String write(LuaValue value) {
        allow(value);
        return JSON.writeValueAsString(toJson(value));
    }

    /** Returns a number, which is infinite if no double is that large. */
    private static double number(JsonNode node) {
        return node.isBigInteger() ? node.bigIntegerValue().doubleValue() : node.doubleValue();
    }

    /** Returns the value of a node, {@link #NULL} for null. */
    static LuaValue toLua(JsonNode node) {
        return switch (node.getNodeType()) {
            case STRING -> LuaText.of(node.stringValue());
            case BOOLEAN -> LuaValue.valueOf(node.booleanValue());
            case NUMBER -> LuaValue.valueOf(number(node));
            case ARRAY -> {
                var table = new LuaTable(node.size(), 0);
                for (int i = 0; i < node.size(); i++) {
                    table.rawset(i + 1, toLua(node.get(i)));
                }
                if (node.isEmpty()) {
                    table.setmetatable(EMPTY_ARRAY);
                }
                yield table;
            }
            case OBJECT -> {
                var table = new LuaTable(0, node.size());
                node.properties()
                        .forEach(
                                member ->
                                        table.rawset(
                                                LuaText.of(member.getKey()),
                                                toLua(member.getValue())));
                yield table;
            }
            default -> NULL;
        };
    }

    /**
     * Returns a value as JSON.
     *
     * @throws LuaError if it has no form in JSON
     */
    static JsonNode toJson(LuaValue value) {
        return toJson(value, 0);
    }

    /**
     * Checks that what is written of a value has bounds: a table counts wherever it occurs.
     *
     * @throws LuaError if it has more than 100,000 values, or 1 MiB of text
     */
    static void allow(LuaValue value) {
        if (value instanceof LuaTable) {
            new Size().add(value, 0);
        }
    }

    /** What a value comes to when it is written. Confined to its thread. */
    private static final class Size {
        private int values;
        private long bytes;

        void add(LuaValue value, int depth) {
            values++;
            bytes += value instanceof LuaString text ? text.m_length : 0;
            if (values > MAX_VALUES || bytes > MAX_BYTES) {
                throw new LuaError(
                        "a table with more than "
                                + MAX_VALUES
                                + " values or "
                                + MAX_BYTES
                                + " bytes of text is too large to be written");
            }
            if (!(value instanceof LuaTable table) || depth > MAX_DEPTH) {
                return; // one that is too deep is refused when it is converted
            }
            for (Varargs entry = table.next(LuaValue.NIL);
                    !entry.arg1().isnil();
                    entry = table.next(entry.arg1())) {
                if (entry.arg1() instanceof LuaString key) {
                    bytes += key.m_length;
                }
                add(entry.arg(2), depth + 1);
            }
        }
    }

    private static JsonNode toJson(LuaValue value, int depth) {
        if (depth > MAX_DEPTH) {
            throw new LuaError(
                    "a table that is nested more than " + MAX_DEPTH + " deep, or contains itself");
        }
        if (value instanceof LuaTable table) {
            return isArray(table) ? array(table, depth) : object(table, depth);
        }
        if (value.isnil() || value == NULL) {
            return NODES.nullNode();
        }
        if (value.isboolean()) {
            return NODES.booleanNode(value.toboolean());
        }
        if (value instanceof LuaString string) {
            return NODES.stringNode(LuaText.text(string));
        }
        if (value instanceof LuaNumber) {
            return number(value);
        }
        throw new LuaError("a " + value.typename() + " has no form in JSON or XML");
    }

    private static JsonNode number(LuaValue value) {
        double number = value.todouble();
        if (Double.isNaN(number) || Double.isInfinite(number)) {
            throw new LuaError("the number " + value.tojstring() + " has no form in JSON");
        }
        boolean whole = number == Math.rint(number) && Math.abs(number) <= MAX_WHOLE;
        return value instanceof LuaInteger || whole
                ? NODES.numberNode(value.tolong())
                : NODES.numberNode(number);
    }

    /** Returns whether the keys are 1 to n, or the table has been an empty array. */
    static boolean isArray(LuaTable table) {
        int length = table.rawlen();
        if (length == 0) {
            return table.getmetatable() == EMPTY_ARRAY && table.next(LuaValue.NIL).arg1().isnil();
        }
        int count = 0;
        for (Varargs entry = table.next(LuaValue.NIL);
                !entry.arg1().isnil();
                entry = table.next(entry.arg1())) {
            LuaValue key = entry.arg1();
            if (!(key instanceof LuaInteger) || key.toint() < 1 || key.toint() > length) {
                return false;
            }
            count++;
        }
        return count == length;
    }

    private static JsonNode array(LuaTable table, int depth) {
        var array = NODES.arrayNode();
        for (int i = 1; i <= table.rawlen(); i++) {
            array.add(toJson(table.rawget(i), depth + 1));
        }
        return array;
    }

    private static JsonNode object(LuaTable table, int depth) {
        var object = NODES.objectNode();
        for (LuaValue key : keys(table)) {
            object.set(LuaText.text(key), toJson(table.rawget(key), depth + 1));
        }
        return object;
    }

    /**
     * Returns the keys of a table in a stable order: numbers, then strings.
     *
     * @throws LuaError if a key is neither
     */
    static List<LuaValue> keys(LuaTable table) {
        var keys = new ArrayList<LuaValue>();
        for (Varargs entry = table.next(LuaValue.NIL);
                !entry.arg1().isnil();
                entry = table.next(entry.arg1())) {
            if (!entry.arg1().isstring()) {
                throw new LuaError(
                        "a table with a " + entry.arg1().typename() + " as a key has no form here");
            }
            keys.add(entry.arg1());
        }
        keys.sort(
                (a, b) -> {
                    boolean first = a instanceof LuaNumber;
                    boolean second = b instanceof LuaNumber;
                    if (first && second) {
                        return Double.compare(a.todouble(), b.todouble());
                    }
                    return first != second
                            ? first ? -1 : 1
                            : LuaText.text(a).compareTo(LuaText.text(b));
                });
        return keys;
    }
}

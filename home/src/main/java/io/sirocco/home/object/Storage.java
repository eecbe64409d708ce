// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.object;

import io.sirocco.home.lua.ScriptThread.Scheduled;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaFunction;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaUserdata;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Global variables that survive a restart, class 44.
 *
 * <table>
 * <caption>Interface</caption>
 * <tr><td>features</td><td>1 Utilisation: percent of 1 MiB that the stored variables take</td></tr>
 * <tr><td>methods</td><td>3 EraseAll: forgets all stored values and names; the variables keep their
 *     values; 4 Store(name): stores a global variable from now on</td></tr>
 * <tr><td>events</td><td>none</td></tr>
 * </table>
 *
 * <p>Stored variables are nil, booleans, numbers, strings in UTF-8, and tables of these. They are
 * compared every 500 ms and written when one has changed, so a change is in the file within a
 * second. {@code SYSTEM.Init()} sets all variables of the file again, after the scripts have set
 * their first values and before OnInit. A function or an object of that name is not replaced.
 * Values of names that no script stores any more stay in the file until EraseAll, so an emergency
 * start does not lose them. All objects of this class share one file. Used by one thread, that of
 * the scripts.
 */
final class Storage extends StandardObject {
    private static final int UTILISATION = 1;
    private static final int ERASE_ALL = 3;
    private static final int STORE = 4;
    private static final Duration PERIOD = Duration.ofMillis(500);
    private static final int MAX_NAMES = 1_000;
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private final Shared shared;
    private boolean owner; // of the timer; one object has it for all
    private Scheduled timer = () -> {};

    /** The part that all objects of the class share in one state of the scripts. */
    static final class Shared {
        private final StorageFile file;
        private final Set<String> warned = new HashSet<>();
        private final Set<String> names = new LinkedHashSet<>();
        private Optional<ObjectNode> values; // null until it is read; empty if that fails
        private boolean running;
        private boolean restored;

        Shared(StorageFile file) {
            this.file = file;
        }

        private Optional<ObjectNode> values() {
            if (values == null) {
                values = file.read();
            }
            return values;
        }

        /** Sets the global variables of the file, once. */
        void restore(ObjectContext context) {
            if (!restored) {
                restored = true;
                values().ifPresent(
                                all ->
                                        all.properties()
                                                .forEach(
                                                        each ->
                                                                restore(
                                                                        context,
                                                                        each.getKey(),
                                                                        each.getValue())));
            }
        }

        private static void restore(ObjectContext context, String variable, JsonNode value) {
            LuaString key = LuaText.of(variable);
            LuaValue current = context.globals().get(key);
            if (current instanceof LuaFunction
                    || current instanceof LuaUserdata
                    || current instanceof LuaTable table && isObject(table)) {
                context.scripts()
                        .warn(
                                "the stored variable "
                                        + variable
                                        + " is not restored: the scripts have given its name to a"
                                        + " function or an object");
                return;
            }
            context.globals().set(key, fromFile(value, true));
        }

        private static boolean isObject(LuaTable table) {
            return table.getmetatable() != null || table.rawget("get").isfunction();
        }
    }

    Storage(String name, ObjectContext context, Shared shared) {
        super(name, context);
        this.shared = shared;
    }

    @Override
    public LuaValue get(int index) {
        if (index != UTILISATION) {
            return super.get(index);
        }
        int length = shared.values().map(values -> values.toString().length()).orElse(0);
        return LuaValue.valueOf(
                (int) Math.min(100, Math.ceilDiv(100L * length, StorageFile.MAX_BYTES)));
    }

    @Override
    public void set(int index, LuaValue value) {
        if (index == UTILISATION) {
            readOnly("Utilisation");
        } else {
            super.set(index, value);
        }
    }

    @Override
    public Varargs execute(int method, Varargs arguments) {
        switch (method) {
            case ERASE_ALL -> {
                shared.names.clear();
                shared.warned.clear();
                shared.values().ifPresent(ObjectNode::removeAll);
                save();
            }
            case STORE -> store(string("Store", arguments, 1));
            default -> {
                return super.execute(method, arguments);
            }
        }
        return LuaValue.NIL;
    }

    private void store(String variable) {
        if (shared.names.size() == MAX_NAMES && !shared.names.contains(variable)) {
            throw new LuaError(name() + ":Store: there are " + MAX_NAMES + " variables already");
        }
        shared.names.add(variable);
    }

    /** Restores the variables, and begins to watch them. */
    @Override
    public void setUp() {
        shared.restore(context());
        if (!shared.running) {
            shared.running = true;
            owner = true;
            schedule();
        }
    }

    private void schedule() {
        timer = context().scripts().schedule(name() + " saves", PERIOD, this::check);
    }

    private void check() {
        schedule();
        save();
    }

    private void save() {
        Optional<ObjectNode> values = shared.values();
        if (values.isEmpty()) {
            return;
        }
        for (String variable : shared.names) {
            try {
                LuaValue value = context().globals().get(LuaText.of(variable));
                LuaJson.allow(value);
                values.get().set(variable, toFile(value, 0));
                shared.warned.remove(variable);
            } catch (LuaError e) {
                if (shared.warned.add(variable)) {
                    warn("the variable " + variable + " cannot be stored: " + e.getMessage());
                }
            }
        }
        shared.file.write(values.get());
    }

    // ---- values in the file: as JSON, but a key that is a number is written as [5]

    private static JsonNode toFile(LuaValue value, int depth) {
        if (value instanceof LuaString string && !LuaText.isText(string)) {
            throw new LuaError("a string that is not UTF-8");
        }
        if (!(value instanceof LuaTable table)) {
            return LuaJson.toJson(value);
        }
        if (depth == LuaJson.MAX_DEPTH) {
            throw new LuaError("a table that is nested too deep, or contains itself");
        }
        if (LuaJson.isArray(table)) {
            ArrayNode array = NODES.arrayNode();
            for (int i = 1; i <= table.rawlen(); i++) {
                array.add(toFile(table.rawget(i), depth + 1));
            }
            return array;
        }
        ObjectNode object = NODES.objectNode();
        for (LuaValue key : LuaJson.keys(table)) {
            if (key instanceof LuaString text && !LuaText.isText(text)) {
                throw new LuaError("a key that is not UTF-8");
            }
            String name = LuaText.text(key);
            boolean bracket = !(key instanceof LuaString) || name.startsWith("[");
            object.set(
                    !bracket ? name : key instanceof LuaString ? "[[" + name : "[" + name + "]",
                    toFile(table.rawget(key), depth + 1));
        }
        return object;
    }

    private static LuaValue fromFile(JsonNode node, boolean top) {
        if (top && node.isNull()) {
            return LuaValue.NIL;
        }
        if (node instanceof ArrayNode array) {
            LuaValue table = array.isEmpty() ? LuaJson.toLua(array) : new LuaTable();
            for (int i = 0; i < array.size(); i++) {
                table.rawset(i + 1, fromFile(array.get(i), false));
            }
            return table;
        }
        if (!(node instanceof ObjectNode object)) {
            return LuaJson.toLua(node);
        }
        var table = new LuaTable();
        object.properties()
                .forEach(
                        each -> table.rawset(key(each.getKey()), fromFile(each.getValue(), false)));
        return table;
    }

    private static LuaValue key(String key) {
        if (key.startsWith("[[")) {
            return LuaText.of(key.substring(2));
        }
        if (key.startsWith("[") && key.endsWith("]")) {
            LuaValue number = LuaText.of(key.substring(1, key.length() - 1)).tonumber();
            return number.isnil() ? LuaText.of(key) : number;
        }
        return LuaText.of(key);
    }

    /** Saves the changes, and waits until the write has succeeded or failed. */
    @Override
    public void close() {
        timer.cancel();
        if (owner) {
            save();
            shared.file.flush();
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

import static io.sirocco.home.lua.StringFunctions.function;

import org.luaj.vm2.LuaClosure;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;

/**
 * The functions of library {@code table} that could run long or make long strings, within the
 * limits of a task. Used by one thread, that of the scripts.
 */
final class TableFunctions {
    private static final int MAX_UNPACKED = 8_000;

    private TableFunctions() {}

    /** Replaces functions of LuaJ's library. */
    static void install(LuaTable library, LimitHook limits) {
        library.set("concat", function("concat", arguments -> concat(arguments, limits)));
        library.set("unpack", function("unpack", arguments -> unpack(arguments, limits)));
        LuaValue insert = library.get("insert"); // for its errors
        library.set("insert", function("insert", arguments -> insert(arguments, insert, limits)));
        library.set("remove", function("remove", arguments -> remove(arguments, limits)));
        library.set("sort", function("sort", arguments -> sort(arguments, limits)));
    }

    private static Varargs insert(Varargs arguments, LuaValue function, LimitHook limits) {
        if (arguments.narg() < 2) {
            return function.invoke(arguments);
        }
        LuaTable table = arguments.checktable(1);
        boolean atEnd = arguments.narg() == 2;
        int at = atEnd ? table.length() + 1 : arguments.checkint(2);
        limits.spend(1 + (elements(table, at) >> 2));
        table.insert(at, arguments.arg(atEnd ? 2 : 3));
        return LuaValue.NONE;
    }

    private static Varargs remove(Varargs arguments, LimitHook limits) {
        LuaTable table = arguments.checktable(1);
        int at = arguments.optint(2, 0);
        limits.spend(1 + (elements(table, at) >> 2));
        return table.remove(at);
    }

    /**
     * Returns how many elements LuaJ moves when one is inserted or removed: those up to the first
     * nil, whatever the length is. They cost less to count than to move.
     *
     * @param first index of an element, 0 for the last
     */
    private static long elements(LuaTable table, int first) {
        long count = 0;
        if (first != 0) {
            for (int i = first; !table.rawget(i).isnil(); i++) {
                count++;
            }
        }
        return count;
    }

    /**
     * Sorts as LuaJ does: a heap sort that takes nil for a value that is not less than any other.
     * LuaJ's own counts no comparison by a function in Java, and none of nil.
     */
    private static Varargs sort(Varargs arguments, LimitHook limits) {
        LuaTable table = arguments.checktable(1);
        LuaValue less = arguments.arg(2).isnil() ? LuaValue.NIL : arguments.arg(2).checkfunction();
        int length = table.rawlen();
        var order = new Order(table, less, limits);
        for (int i = length / 2; i >= 1; i--) {
            order.siftDown(i, length);
        }
        for (int last = length; last > 1; last--) {
            order.swap(1, last);
            order.siftDown(1, last - 1);
        }
        return LuaValue.NONE;
    }

    /**
     * A table as a heap whose first element is the largest.
     *
     * @param less the comparator, nil for {@code <}
     */
    private record Order(LuaTable table, LuaValue less, LimitHook limits) {
        void siftDown(int start, int last) {
            int root = start;
            while (root <= last / 2) {
                int child = 2 * root;
                if (child < last && isLess(child, child + 1)) {
                    child++;
                }
                if (!isLess(root, child)) {
                    return;
                }
                swap(root, child);
                root = child;
            }
        }

        private boolean isLess(int i, int j) {
            LuaValue left = table.rawget(i);
            LuaValue right = table.rawget(j);
            limits.spend(1);
            if (!(less instanceof LuaClosure)) { // whose instructions count
                limits.spendOnComparison(left, right);
            }
            if (left.isnil() || right.isnil()) {
                return false;
            }
            return less.isnil() ? left.lt_b(right) : less.call(left, right).toboolean();
        }

        void swap(int i, int j) {
            LuaValue value = table.rawget(i);
            table.rawset(i, table.rawget(j));
            table.rawset(j, value);
        }
    }

    private static Varargs unpack(Varargs arguments, LimitHook limits) {
        LuaValue table = arguments.checktable(1);
        long first = arguments.optlong(2, 1);
        long last = arguments.arg(3).isnil() ? table.length() : arguments.checklong(3);
        if (first > last) {
            return LuaValue.NONE;
        }
        long more = last - first; // negative when it overflows
        if (more < 0 || more >= MAX_UNPACKED) {
            throw new LuaError("too many results to unpack: the limit is " + MAX_UNPACKED);
        }
        LuaValue[] values = new LuaValue[(int) more + 1];
        for (int i = 0; i < values.length; i++) {
            limits.spend(1);
            values[i] = table.get(LuaValue.valueOf(first + i));
        }
        return LuaValue.varargsOf(values);
    }

    private static Varargs concat(Varargs arguments, LimitHook limits) {
        LuaTable table = arguments.checktable(1);
        LuaString separator = arguments.optstring(2, LuaValue.EMPTYSTRING);
        long first = arguments.optlong(3, 1);
        long last = arguments.arg(4).isnil() ? table.length() : arguments.checklong(4);
        var result = new LuaStringBuilder(limits, "table.concat", 0);
        for (long i = first; i <= last; i++) { // once: other tasks may change it meanwhile
            LuaString part = part(table, i);
            if (i > first) {
                result.add(separator, 0, separator.length());
            }
            result.add(part, 0, part.length());
            limits.spend(2);
        }
        return result.string();
    }

    private static LuaString part(LuaTable table, long index) {
        LuaValue value = table.rawget(LuaValue.valueOf(index));
        if (!value.isstring()) {
            throw new LuaError(
                    "invalid value ("
                            + value.typename()
                            + ") at index "
                            + index
                            + " in table for 'concat'");
        }
        return NumberText.string(value);
    }
}

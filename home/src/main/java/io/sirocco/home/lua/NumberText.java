// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

import org.luaj.vm2.LuaDouble;
import org.luaj.vm2.LuaNumber;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaValue;

/**
 * The text of numbers: 14 significant digits, as {@code tostring} of Lua 5.2 writes them ({@code
 * LUA_NUMBER_FMT}, {@code %.14g}), and all digits of whole numbers that fit 64 bits. LuaJ's own
 * conversion has 7 digits: {@code 1234567.9} for 1234567.89. Any thread.
 */
public final class NumberText {
    private static final FloatFormat FORMAT = new FloatFormat("", 0, 14, 'g');

    private NumberText() {}

    /** Returns the text of a value; that of anything but a number is LuaJ's. */
    public static String of(LuaValue value) {
        return isFraction(value) ? FORMAT.of(value.todouble()) : value.tojstring();
    }

    /** Returns a string or a number as a string. */
    static LuaString string(LuaValue value) {
        return value instanceof LuaNumber ? LuaValue.valueOf(of(value)) : value.strvalue();
    }

    /** Returns a number whose text LuaJ would shorten as a string, and any other value as it is. */
    static LuaValue exact(LuaValue value) {
        return isFraction(value) ? string(value) : value;
    }

    private static boolean isFraction(LuaValue value) {
        return value instanceof LuaDouble && !value.islong();
    }
}

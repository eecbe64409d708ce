// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

import org.luaj.vm2.Lua;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Prototype;

/** Names what a register of a function holds, for messages of errors. Any thread. */
final class VariableName {
    private static final int LONGEST = 64;

    private VariableName() {}

    /**
     * Returns, for example, {@code (global 'os')}, with a blank before it; empty if the name is not
     * known for certain: a jump may have led here.
     *
     * @param counter the instruction that uses the register
     */
    static String of(Prototype function, int counter, int register) {
        LuaString local = function.getlocalname(register + 1, counter);
        if (local != null) {
            return named("local", local);
        }
        for (int i = counter - 1; i >= 0; i--) {
            int instruction = function.code[i];
            int sets = Lua.GETARG_A(instruction);
            switch (Lua.GET_OPCODE(instruction)) {
                case Lua.OP_JMP, Lua.OP_TEST, Lua.OP_TESTSET, Lua.OP_FORLOOP, Lua.OP_TFORLOOP -> {
                    return "";
                }
                case Lua.OP_GETTABUP -> {
                    if (sets == register) {
                        LuaString table = function.upvalues[Lua.GETARG_B(instruction)].name;
                        boolean global = table != null && table.tojstring().equals("_ENV");
                        return constant(
                                global ? "global" : "field", function, Lua.GETARG_C(instruction));
                    }
                }
                case Lua.OP_GETTABLE -> {
                    if (sets == register) {
                        return constant("field", function, Lua.GETARG_C(instruction));
                    }
                }
                case Lua.OP_SELF -> {
                    if (sets == register) {
                        return constant("method", function, Lua.GETARG_C(instruction));
                    }
                    if (sets + 1 == register) {
                        return "";
                    }
                }
                case Lua.OP_MOVE -> {
                    if (sets == register) {
                        LuaString moved = function.getlocalname(Lua.GETARG_B(instruction) + 1, i);
                        return moved == null ? "" : named("local", moved);
                    }
                }
                case Lua.OP_GETUPVAL -> {
                    if (sets == register) {
                        LuaString name = function.upvalues[Lua.GETARG_B(instruction)].name;
                        return name == null ? "" : named("upvalue", name);
                    }
                }
                case Lua.OP_CALL, Lua.OP_VARARG, Lua.OP_LOADNIL, Lua.OP_TFORCALL -> {
                    if (sets <= register) { // it sets several
                        return "";
                    }
                }
                default -> {
                    if (sets == register) {
                        return "";
                    }
                }
            }
        }
        return "";
    }

    private static String constant(String kind, Prototype function, int index) {
        if (!Lua.ISK(index)) {
            return "";
        }
        LuaValue name = function.k[Lua.INDEXK(index)];
        return name instanceof LuaString text ? named(kind, text) : "";
    }

    private static String named(String kind, LuaString name) {
        String text = name.tojstring();
        return " (%s '%s')".formatted(kind, text.substring(0, Math.min(text.length(), LONGEST)));
    }
}

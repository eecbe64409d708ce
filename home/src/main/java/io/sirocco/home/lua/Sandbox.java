// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

import static io.sirocco.home.lua.StringFunctions.function;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.luaj.vm2.Globals;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaNumber;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Prototype;
import org.luaj.vm2.Varargs;
import org.luaj.vm2.compiler.LuaC;
import org.luaj.vm2.lib.BaseLib;
import org.luaj.vm2.lib.StringLib;
import org.luaj.vm2.lib.TableLib;
import org.luaj.vm2.lib.TwoArgFunction;
import org.luaj.vm2.lib.ZeroArgFunction;

/**
 * The libraries of scripts: the base library, {@code package}, {@code string} and {@code table} of
 * Lua 5.2, and {@code math}; no {@code coroutine}, {@code io}, {@code os}, {@code bit32}, {@code
 * debug}, and no way to Java. Files come from {@link ScriptFiles} only. Used by one thread, that of
 * the scripts.
 */
final class Sandbox {
    private static final Pattern SYMBOL = Pattern.compile("unexpected symbol (\\d+) \\((.*?)\\)");
    private static final int FIRST_TOKEN = 257; // as in Lua's own lexer

    private static final List<String> TOKENS =
            List.of(
                    "and",
                    "break",
                    "do",
                    "else",
                    "elseif",
                    "end",
                    "false",
                    "for",
                    "function",
                    "goto",
                    "if",
                    "in",
                    "local",
                    "nil",
                    "not",
                    "or",
                    "repeat",
                    "return",
                    "then",
                    "true",
                    "until",
                    "while",
                    "..",
                    "...",
                    "==",
                    ">=",
                    "<=",
                    "~=",
                    "::",
                    "<eof>",
                    "<number>",
                    "<name>",
                    "<string>");

    private static final int MAX_LOADED = 512 << 10; // bytes of text for load()

    static {
        // One for the whole JVM, so scripts must not change it: it finds the library of the state
        // that runs, and getmetatable("") returns false.
        LuaTable strings = new LuaTable();
        strings.set(
                LuaValue.INDEX,
                new TwoArgFunction() {
                    @Override
                    public LuaValue call(LuaValue string, LuaValue name) {
                        return Thread.currentThread() instanceof LuaState.StateThread thread
                                ? thread.strings().get(name)
                                : LuaValue.NIL;
                    }
                });
        strings.set(LuaValue.METATABLE, LuaValue.FALSE);
        LuaString.s_metatable = strings;
    }

    private final Globals globals;
    private final ScriptFiles files;
    private final ScriptLog log;
    private LimitHook limits; // set by install

    Sandbox(Globals globals, ScriptFiles files, ScriptLog log) {
        this.globals = globals;
        this.files = files;
        this.log = log;
    }

    /** Fills the globals. */
    void install(LimitHook limits) {
        this.limits = limits;
        LuaC.install(globals);
        globals.undumper = Sandbox::refuseBinary;
        LuaTable loaded = new LuaTable();
        LuaTable library = new LuaTable();
        library.set("loaded", loaded);
        library.set("preload", new LuaTable());
        library.set("path", "?.lua");
        globals.set("package", library);
        loaded.set("package", library);
        globals.load(new BaseLib());
        globals.load(new TableLib());
        globals.load(new StringLib());
        TableFunctions.install(globals.get("table").checktable(), limits);
        StringFunctions.install(globals.get("string").checktable(), limits);
        MathFunctions.install(globals, limits);
        globals.STDIN = InputStream.nullInputStream();
        globals.finder = this::open;
        globals.set("_VERSION", "Lua 5.2");
        globals.set("collectgarbage", function("collectgarbage", arguments -> LuaValue.NIL));
        globals.set("load", function("load", load(globals.get("load"))));
        for (String name : new String[] {"rawequal", "rawget", "tonumber", "error"}) {
            LuaValue function = globals.get(name);
            globals.set(name, function(name, arguments -> counted(function, arguments)));
        }
        LuaValue tostring = globals.get("tostring");
        globals.set(
                "tostring",
                function(
                        "tostring",
                        arguments ->
                                arguments.arg1() instanceof LuaNumber number
                                        ? NumberText.string(number)
                                        : tostring.invoke(arguments)));
        LuaValue rawset = globals.get("rawset");
        globals.set(
                "rawset",
                function(
                        "rawset",
                        arguments -> {
                            LimitHook.allowField(arguments.arg(2), arguments.arg(3));
                            return counted(rawset, arguments);
                        }));
        LuaValue setmetatable = globals.get("setmetatable");
        globals.set(
                "setmetatable",
                function(
                        "setmetatable",
                        arguments -> {
                            if (arguments.arg(2) instanceof LuaTable metatable) {
                                LimitHook.allowField(
                                        LuaValue.CALL, metatable.rawget(LuaValue.CALL));
                            }
                            return setmetatable.invoke(arguments);
                        }));
        globals.set("require", function("require", this::require));
        log("print", Level.INFO);
        log("log", Level.INFO);
        log("logInfo", Level.INFO);
        log("logDebug", Level.DEBUG);
        log("logWarning", Level.WARNING);
        log("logError", Level.ERROR);
        globals.debuglib = limits;
    }

    /** Calls a function that looks at each byte of its first two arguments, be they strings. */
    private Varargs counted(LuaValue function, Varargs arguments) {
        limits.spendOnText(arguments.arg(1));
        limits.spendOnText(arguments.arg(2));
        return function.invoke(arguments);
    }

    /** Compiles text, whose errors begin with {@code name} and a line. */
    Prototype compile(byte[] text, String name) throws IOException {
        if (text.length > 0 && text[0] == 0x1b) {
            throw new LuaError(name + ": binary chunks are refused");
        }
        try {
            return globals.compilePrototype(new ByteArrayInputStream(text), name);
        } catch (LuaError e) {
            String message = String.valueOf(e.getMessage());
            throw new LuaError(named(message.replace("[string \"" + name + "\"]", name)));
        } catch (RuntimeException e) { // LuaJ's parser fails, for example at the number 1e
            throw new LuaError(name + ": malformed text: " + e.getMessage());
        }
    }

    /** LuaJ shows a symbol as a number and a character: gives it its name. */
    private static String named(String message) {
        return SYMBOL.matcher(message.replace("'<eos>'", "'<eof>'"))
                .replaceFirst(
                        symbol -> {
                            int token = Integer.parseInt(symbol.group(1)) - FIRST_TOKEN;
                            return Matcher.quoteReplacement(
                                    "unexpected symbol near '%s'"
                                            .formatted(
                                                    token >= 0 && token < TOKENS.size()
                                                            ? TOKENS.get(token)
                                                            : symbol.group(2)));
                        });
    }

    private static Prototype refuseBinary(InputStream in, String name) throws IOException {
        if (in.read() == 0x1b) {
            throw new LuaError("binary chunks are refused");
        }
        return null; // it is text, which LuaJ compiles
    }

    /** For {@code loadfile} and {@code dofile}: returns null if there is no such file. */
    private InputStream open(String name) {
        try {
            byte[] text = files.read(name).orElse(null);
            if (text == null) {
                return null;
            }
            limits.spend(text.length); // LuaJ compiles it
            return new ByteArrayInputStream(text);
        } catch (IOException e) {
            throw new LuaError("cannot read " + name);
        }
    }

    private StringFunctions.Function load(LuaValue function) {
        return arguments -> {
            LuaValue chunk = arguments.arg1();
            if (chunk.isstring()) {
                allowChunk(chunk.strvalue().length());
                return function.invoke(arguments);
            }
            LuaValue pieces = chunk.checkfunction();
            LuaValue counted =
                    new ZeroArgFunction() {
                        private long length;

                        @Override
                        public LuaValue call() {
                            LuaValue piece = pieces.call();
                            length += piece.isstring() ? piece.strvalue().length() : 0;
                            allowChunk(length);
                            return piece;
                        }
                    };
            return function.invoke(LuaValue.varargsOf(counted, arguments.subargs(2)));
        };
    }

    private void allowChunk(long length) {
        if (length > MAX_LOADED) {
            throw new LuaError("load: the text is longer than " + MAX_LOADED + " bytes");
        }
        limits.spend(length);
    }

    private Varargs require(Varargs arguments) {
        String name = arguments.checkjstring(1);
        LuaTable library = globals.get("package").checktable();
        LuaValue loaded = library.get("loaded");
        LuaValue known = loaded.get(name);
        if (known.toboolean()) {
            return known;
        }
        LuaValue loader = library.get("preload").get(name);
        if (loader.isnil()) {
            loader = loader(name);
        }
        LuaValue result = loader.call(LuaValue.valueOf(name));
        if (!result.isnil()) {
            LuaValue key = LuaValue.valueOf(name);
            LimitHook.allowField(key, result);
            loaded.set(key, result);
        } else if (loaded.get(name).isnil()) {
            loaded.set(name, LuaValue.TRUE);
        }
        return loaded.get(name);
    }

    private LuaValue loader(String name) {
        String file = name.replace('.', '/').toUpperCase(Locale.ROOT) + ".LUA";
        try {
            Optional<byte[]> text = files.read(file);
            if (text.isEmpty()) {
                throw new LuaError("module '" + name + "' not found: there is no a/" + file);
            }
            limits.spend(text.get().length);
            return globals.loader.load(compile(text.get(), file), file, globals);
        } catch (IOException | UncheckedIOException e) {
            throw new LuaError("module '" + name + "': cannot read a/" + file);
        }
    }

    private void log(String name, Level level) {
        globals.set(
                name,
                function(
                        name,
                        arguments -> {
                            StringBuilder line = new StringBuilder();
                            for (int i = 1; i <= arguments.narg() && line.length() < 2_000; i++) {
                                LuaValue value = arguments.arg(i);
                                limits.spendOnText(value);
                                line.append(
                                        value.istable()
                                                ? ValueText.of(value)
                                                : shortened(NumberText.of(value)));
                            }
                            log.add(level, line.toString());
                            return LuaValue.NIL;
                        }));
    }

    private static String shortened(String text) {
        return text.substring(0, Math.min(text.length(), 2_000));
    }
}

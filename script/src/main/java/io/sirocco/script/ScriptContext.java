// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import org.graalvm.polyglot.Context;
import org.graalvm.polyglot.Engine;
import org.graalvm.polyglot.HostAccess;
import org.graalvm.polyglot.PolyglotAccess;
import org.graalvm.polyglot.PolyglotException;
import org.graalvm.polyglot.ResourceLimits;
import org.graalvm.polyglot.Source;
import org.graalvm.polyglot.Value;
import org.graalvm.polyglot.io.IOAccess;

/**
 * A sandbox of JavaScript: the language, the objects of messages.js and runtime.js, and nothing of
 * the machine. Of the thread of its {@link Worker}, but for {@link #interrupt}.
 */
final class ScriptContext {
    static final String RUNTIME = "sirocco-runtime";
    private static final String MAX_ARGUMENTS = "100000"; // of apply, which copies them at once
    private static final Level[] LEVELS = {Level.DEBUG, Level.INFO, Level.WARNING, Level.ERROR};

    /** Loaded with the first context: code is parsed once for all of them. */
    private static final class Shared {
        static final Engine ENGINE =
                Engine.newBuilder("js")
                        .option("engine.WarnInterpreterOnly", "false")
                        .out(OutputStream.nullOutputStream())
                        .err(OutputStream.nullOutputStream())
                        .build();
        static final HostAccess ACCESS = // byte buffers only
                HostAccess.newBuilder().allowBufferAccess(true).build();
        static final Source WEB_SOURCE = source("web.js");
        static final Source MESSAGES_SOURCE = source("messages.js");
        static final Source RUNTIME_SOURCE = source("runtime.js");
        static final Source BUILTINS_SOURCE = source("builtins.js");

        private static Source source(String name) {
            try (InputStream in = ScriptContext.class.getResourceAsStream(name)) {
                String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
                return Source.newBuilder("js", text, RUNTIME + "/" + name).build();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private final ScriptPool pool;
    private final VersionFiles files;
    private final Context context;
    private final Value dispatch;
    private final Value thrown;
    private final Value next;
    private final Value close;
    private final Value inspect;
    private final Value completed;
    private final Value forget;
    private final Value load;
    private final Value teardown;

    ScriptContext(Worker worker, Version version, ScriptPool pool) {
        this.pool = pool;
        this.files = new VersionFiles(version);
        Context.Builder builder =
                Context.newBuilder("js")
                        .engine(Shared.ENGINE)
                        .allowHostAccess(Shared.ACCESS)
                        .allowPolyglotAccess(PolyglotAccess.NONE)
                        .allowIO(IOAccess.newBuilder().fileSystem(files).build())
                        .allowExperimentalOptions(true)
                        .option("js.text-encoding", "true")
                        .option("js.json-modules", "true")
                        .option("js.import-attributes", "true")
                        .option("js.top-level-await", "true")
                        .option("js.unhandled-rejections", "handler")
                        .option("js.regexp-static-result", "false") // of another request
                        .option("js.load", "false")
                        .option("js.print", "false")
                        .option("js.polyglot-builtin", "false")
                        .option("js.java-package-globals", "false")
                        .option("js.shared-array-buffer", "false")
                        .option("js.atomics", "false")
                        .option(
                                "js.max-typed-array-length",
                                Long.toString(pool.settings.longestTypedArray()))
                        .option("js.max-apply-argument-length", MAX_ARGUMENTS)
                        .option(
                                "js.string-length-limit",
                                Long.toString(pool.settings.longestString()))
                        .out(OutputStream.nullOutputStream())
                        .err(OutputStream.nullOutputStream());
        if (pool.settings.maxStatements() > 0) {
            builder.resourceLimits(
                    ResourceLimits.newBuilder()
                            .statementLimit(
                                    pool.settings.maxStatements(),
                                    source -> !source.getName().startsWith(RUNTIME))
                            .build());
        }
        context = builder.build();
        Value web = context.eval(Shared.WEB_SOURCE).execute();
        Value messages =
                context.eval(Shared.MESSAGES_SOURCE)
                        .execute(new Host(worker, pool).functions(), web);
        Value api = context.eval(Shared.RUNTIME_SOURCE).execute(web, messages);
        Value lock =
                context.eval(Shared.BUILTINS_SOURCE)
                        .execute(web, messages, api.getMember("globals"));
        dispatch = api.getMember("dispatch");
        thrown = api.getMember("thrown");
        next = api.getMember("next");
        close = api.getMember("close");
        inspect = api.getMember("inspect");
        completed = api.getMember("completed");
        forget = api.getMember("forget");
        load = api.getMember("load");
        teardown = api.getMember("teardown");
        Value globals = context.getBindings("js");
        pool.settings
                .exposed()
                .forEach(
                        (name, function) ->
                                globals.putMember(
                                        name,
                                        ExposedFunction.of(context, pool.settings, function)));
        lock.executeVoid();
    }

    // ---- into the context

    void load(Version.Endpoint it) {
        load.executeVoid(
                it.id(), it.parent(), it.key(), it.file(), it.specifier(), pool.settings.config());
    }

    void dispatch(int number, int endpoint, ScriptRequest request) {
        dispatch.executeVoid(number, endpoint, request.sentPath, request.head);
    }

    /** An exception has left the context; returns whether a request in it is notified. */
    boolean thrown(int number, Object error) {
        return thrown.execute(number, error).asBoolean();
    }

    void next(int number) {
        next.executeVoid(number);
    }

    void close(int number) {
        close.executeVoid(number);
    }

    void inspect(int number, int status, String headers) {
        inspect.executeVoid(number, status, headers);
    }

    void completed(int number, int status, boolean complete, long bytes, double millis) {
        completed.executeVoid(number, status, complete, (double) bytes, millis);
    }

    void forget(int number) {
        forget.executeVoid(number);
    }

    void teardown() {
        teardown.executeVoid();
    }

    void files(Version version) {
        files.version(version);
    }

    void resetLimits() {
        if (pool.settings.maxStatements() > 0) {
            context.resetLimits();
        }
    }

    /** Interrupts what runs. Any thread. */
    void interrupt(Duration longest) throws TimeoutException {
        context.interrupt(longest);
    }

    void close() {
        try {
            context.close(true);
        } catch (RuntimeException e) {
            ScriptLog.log(Level.WARNING, "A context of scripts was not closed", e);
        }
    }

    /** Returns an error with the stack of a script. */
    static ScriptException exception(String file, String message, Throwable thrown) {
        var stack = new StringBuilder();
        if (thrown instanceof PolyglotException e) {
            for (PolyglotException.StackFrame frame : e.getPolyglotStackTrace()) {
                if (frame.isGuestFrame() && frame.getSourceLocation() != null) {
                    stack.append("\n    at ")
                            .append(frame.getRootName())
                            .append(" (")
                            .append(frame.getSourceLocation().getSource().getName())
                            .append(':')
                            .append(frame.getSourceLocation().getStartLine())
                            .append(')');
                }
            }
        }
        return new ScriptException(file, message, stack.toString());
    }
}

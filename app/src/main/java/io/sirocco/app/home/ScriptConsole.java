// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.home;

import io.sirocco.app.admin.Refused;
import io.sirocco.home.Clu;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs scripts of an operator: an expression, or statements. Any thread; {@link #run} blocks. */
final class ScriptConsole {
    /** The longest script, in characters. */
    static final int LONGEST = 8_000;

    private static final int MAX_SCRIPTS = 16;
    private static final long SECONDS = 10;

    /** Returns {1=value}, or {e="message"}. */
    private static final String EVALUATE =
            "(function(s) local f, e = load('return ' .. s, 'console') if not f then f, e ="
                    + " load(s, 'console') end if not f then return {e = e} end local r ="
                    + " table.pack(pcall(f)) if r[1] then return {r[2]} end return {e ="
                    + " tostring(r[2])} end)(%s)";

    private final Clu clu;
    private final Semaphore free = new Semaphore(MAX_SCRIPTS);

    ScriptConsole(Clu clu) {
        this.clu = clu;
    }

    /**
     * Runs a script.
     *
     * @return the text of its first value, with quotes for a string
     * @throws Refused if it fails, is too long or takes more than 10 s
     */
    String run(String script) throws Refused, InterruptedException {
        if (script.isBlank() || script.length() > LONGEST) {
            throw new Refused(400, "bad_arguments", "a script has 1 to " + LONGEST + " characters");
        }
        if (!free.tryAcquire()) {
            throw new Refused(503, "busy", MAX_SCRIPTS + " scripts run already");
        }
        try {
            return value(
                    clu.evaluate(EVALUATE.formatted(LuaLiteral.of(script)))
                            .get(SECONDS, TimeUnit.SECONDS));
        } catch (TimeoutException e) {
            throw new Refused(504, "late", "the script has run for " + SECONDS + " s, and goes on");
        } catch (ExecutionException e) {
            throw new Refused(503, "busy", e.getCause().getMessage());
        } finally {
            free.release();
        }
    }

    private static String value(String result) throws Refused {
        if (result.equals("{}")) {
            return "nil";
        }
        if (result.startsWith("{1=")) {
            return result.substring(3, result.length() - 1);
        }
        if (result.startsWith("{e=\"")) {
            String message = result.substring(4, result.length() - 2);
            String text = message.replaceAll("\\\\([\"\\\\])", "$1");
            throw new Refused(422, "failed", text.replace("[string \"console\"]", "console"));
        }
        throw new Refused(
                422, "stopped", "the script was stopped, or its value is too long: see the log");
    }
}

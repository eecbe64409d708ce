// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import io.sirocco.net.log.LogText;
import java.util.ArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An error of a script. Its stack trace is that of the script, with the files and lines that its
 * author knows. The message is for the log, never for clients. Immutable.
 */
final class ScriptException extends Exception {
    private static final long serialVersionUID = 1;
    private static final Pattern FRAME =
            Pattern.compile("\\s+at (?:(.*) \\()?([^()]*?):(\\d+)(?::\\d+(?:-\\d+)?)?\\)?");

    /** The folder of a version, see {@link Version#specifier}. */
    private static final Pattern VERSION = Pattern.compile("/@\\d+/");

    /**
     * Creates an error.
     *
     * @param file the script, such as {@code /foo/bar.html.js}
     * @param message what went wrong
     * @param stack the stack as JavaScript prints it; may be empty
     */
    ScriptException(String file, String message, String stack) {
        super("The script " + file + " failed: " + LogText.of(brief(message)), null, true, true);
        var frames = new ArrayList<StackTraceElement>();
        Matcher frame = FRAME.matcher(plain(stack));
        while (frame.find() && frames.size() < 20) {
            String function =
                    frame.group(1) == null
                            ? "(module)"
                            : LogText.of(frame.group(1).replace("Module.", ""));
            if (!frame.group(2).startsWith(ScriptContext.RUNTIME)) {
                int line = Integer.parseInt(frame.group(3));
                frames.add(new StackTraceElement("script", function, frame.group(2), line));
            }
        }
        if (frames.isEmpty()) {
            frames.add(new StackTraceElement("script", "(module)", file, -1));
        }
        setStackTrace(frames.toArray(StackTraceElement[]::new));
    }

    @Override
    public Throwable fillInStackTrace() {
        return this; // that of the script is set
    }

    /**
     * Returns a message without the line of source and the mark below it that the engine appends.
     */
    static String brief(String message) {
        String text = plain(message);
        int end = text.indexOf('\n');
        return end > 0 && text.startsWith("SyntaxError: ") ? text.substring(0, end).strip() : text;
    }

    /** Returns text with the names of files as in the folder. */
    static String plain(String text) {
        return VERSION.matcher(text).replaceAll("/");
    }
}

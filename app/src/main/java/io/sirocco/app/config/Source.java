// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * The text of a configuration, which shows excerpts of itself. Immutable.
 *
 * <p>The command line is a source, too: one line without a number.
 */
final class Source {
    /** The maximum size: a larger file is named by accident, such as a log or an archive. */
    static final int MAX_BYTES = 1 << 20;

    private static final int WIDEST = 100;
    private static final int BEFORE = 40;

    private final String name;
    private final Path folder;
    private final String text;
    private final boolean numbered;
    private volatile Outline outline; // null until an excerpt needs it

    private Source(String name, Path folder, String text, boolean numbered) {
        this.name = name;
        this.folder = folder;
        this.text = text;
        this.numbered = numbered;
    }

    /** Creates a source from the text of a file; paths in it are relative to a folder. */
    static Source of(String name, Path folder, String text) {
        return new Source(name, folder, text, true);
    }

    /** Creates a source from words of the command line, which may be empty. */
    static Source commandLine(String words) {
        return new Source("command line", Path.of("").toAbsolutePath(), words, false);
    }

    /**
     * Reads a file.
     *
     * @throws InvalidConfiguration if it is missing, too large or not UTF-8
     */
    static Source read(Path file) throws InvalidConfiguration {
        Path folder = file.toAbsolutePath().getParent();
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(MAX_BYTES + 1);
            if (bytes.length > MAX_BYTES) {
                throw unreadable(file, "is larger than 1 MiB", "is this the right file?");
            }
            return new Source(file.toString(), folder, decoded(file, bytes), true);
        } catch (NoSuchFileException missing) {
            throw unreadable(
                    file, "does not exist", "\"sirocco check --template\" prints a template");
        } catch (IOException e) {
            String why = Files.isDirectory(file) ? "is a directory" : "cannot be read";
            throw unreadable(file, why, "name a file that this user can read");
        }
    }

    private static String decoded(Path file, byte[] bytes) throws InvalidConfiguration {
        var in = ByteBuffer.wrap(bytes);
        var decoder =
                StandardCharsets.UTF_8
                        .newDecoder()
                        .onMalformedInput(CodingErrorAction.REPORT)
                        .onUnmappableCharacter(CodingErrorAction.REPORT);
        try {
            String text = decoder.decode(in).toString();
            return text.startsWith("\uFEFF") ? text.substring(1) : text; // a mark of some editors
        } catch (CharacterCodingException e) {
            int line = 1;
            for (int i = 0; i < in.position(); i++) {
                if (bytes[i] == '\n') line++;
            }
            throw unreadable(file, "is not valid UTF-8 in line " + line, "save it as UTF-8");
        }
    }

    private static InvalidConfiguration unreadable(Path file, String what, String hint) {
        var source = new Source(file.toString(), file.toAbsolutePath().getParent(), "", true);
        return new InvalidConfiguration(
                Problem.at(source.nowhere(), Problem.Severity.ERROR, "the file " + what, hint));
    }

    String name() {
        return name;
    }

    /** Returns whether it is a file, which has lines. */
    boolean isNumbered() {
        return numbered;
    }

    Path folder() {
        return folder;
    }

    String text() {
        return text;
    }

    SourcePosition position(int from, int to) {
        return new SourcePosition(this, from, to);
    }

    /** Returns a position that stands for the whole source. */
    SourcePosition nowhere() {
        return new SourcePosition(this, -1, -1);
    }

    /** Returns the line of an offset, from 1; 0 outside of a file. */
    int line(int offset) {
        if (!numbered || offset < 0) return 0;
        int begin = lineBegin(Math.min(offset, text.length()));
        return 1 + (int) text.chars().limit(begin).filter(c -> c == '\n').count();
    }

    /** Returns the column of an offset, from 1; 0 outside of a file. */
    int column(int offset) {
        if (!numbered || offset < 0) return 0;
        int at = Math.min(offset, text.length());
        return 1 + text.codePointCount(lineBegin(at), at);
    }

    /** Returns the secrets of the line in which a piece begins. */
    Secrets secrets(SourcePosition position) {
        if (position.from() < 0) return Secrets.of("");
        int at = Math.min(position.from(), text.length());
        int begin = lineBegin(at);
        String line = text.substring(begin, lineEnd(at));
        return continuesSecret(begin) || isInKey(begin) ? Secrets.all(line) : Secrets.of(line);
    }

    /** Returns whether a line is inside of a PEM file, whatever value it is, or none. */
    private boolean isInKey(int begin) {
        int first = text.lastIndexOf(Secrets.PEM, begin - 1);
        if (first < 0) return false;
        int end = text.indexOf("-----END", first);
        return end < 0 || end >= begin;
    }

    /** Returns whether a line is inside of the value of a key above it that promises a secret. */
    private boolean continuesSecret(int begin) {
        Outline.Spot key = outline().keyBefore(begin);
        return key != null
                && key.to > begin
                && Secrets.isPromisedBy(text.substring(key.keyFrom, key.keyTo));
    }

    /** Returns that of the whole text, which all excerpts share. */
    private Outline outline() {
        if (outline == null) outline = new Outline(text);
        return outline;
    }

    /**
     * Returns the line in which a piece begins, with markers below the piece unless secrets in the
     * line are hidden. A long line is cut; control characters are replaced.
     */
    String excerpt(SourcePosition position) {
        if (position.from() < 0) return "";
        Secrets secrets = secrets(position);
        return secrets.isEmpty() ? marked(position) : unmarked(position, secrets.shown());
    }

    private String unmarked(SourcePosition position, String line) {
        String number = numbered ? Integer.toString(line(position.from())) : "";
        String cut = line.length() > WIDEST ? line.substring(0, WIDEST) + "..." : line;
        return "%5s | %s\n".formatted(number, shown(cut));
    }

    private String marked(SourcePosition position) {
        int at = Math.min(position.from(), text.length());
        int begin = lineBegin(at);
        int end = lineEnd(at);
        int to = Math.clamp(position.to(), Math.min(at + 1, end), end);
        int first = end - begin <= WIDEST ? begin : Math.max(begin, at - BEFORE);
        int last = Math.min(end, first + WIDEST);
        String cut = first > begin ? "..." : "";
        String shown = cut + shown(first, last) + (last < end ? "..." : "");
        String gap = " ".repeat(cut.length()) + shown(first, at).replaceAll("[^\t]", " ");
        int marks = Math.max(1, text.codePointCount(at, Math.max(at, Math.min(to, last))));
        String number = numbered ? Integer.toString(line(at)) : "";
        return "%5s | %s%n      | %s%s%n"
                .formatted(number, shown, gap, "^".repeat(marks))
                .replace("\r\n", "\n");
    }

    private String shown(int from, int to) {
        return shown(text.substring(from, Math.max(from, to)));
    }

    /** Replaces each control character, which a terminal would interpret, by a question mark. */
    static String shown(String text) {
        var line = new StringBuilder();
        text.codePoints()
                .map(c -> Character.isISOControl(c) && c != '\t' ? '?' : c)
                .map(c -> Character.getType(c) == Character.FORMAT ? '?' : c)
                .forEach(line::appendCodePoint);
        return line.toString();
    }

    private int lineBegin(int offset) {
        return text.lastIndexOf('\n', offset - 1) + 1;
    }

    private int lineEnd(int offset) {
        int end = text.indexOf('\n', offset);
        end = end < 0 ? text.length() : end;
        return end > offset && text.charAt(end - 1) == '\r' ? end - 1 : end;
    }
}

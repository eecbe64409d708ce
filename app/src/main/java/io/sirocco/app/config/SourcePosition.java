// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

/**
 * A range of the text of a configuration file or of the command line. Lines and columns count from
 * 1, columns in characters; a value outside of a file, such as a default, has line 0. Immutable.
 *
 * @param from the offset of its first character; -1 for the whole source
 * @param to the offset after its last character
 */
public record SourcePosition(Source source, int from, int to) {

    /** Returns the line in which it begins. */
    public int line() {
        return source.line(from);
    }

    /** Returns the column in which it begins. */
    public int column() {
        return source.column(from);
    }

    /** Returns a number that orders positions as in the file; those outside of it come first. */
    int order() {
        return source.isNumbered() ? from : -1;
    }

    /**
     * Returns whether it is the first name in the header of an inner table: {@code [name.inner]}.
     */
    boolean isParentInHeader() {
        String text = source.text();
        return from > 0
                && text.substring(0, from).stripTrailing().endsWith("[")
                && text.substring(to).stripLeading().startsWith(".");
    }

    /**
     * Completes a hint about an option that only a file can set, if the command line has set the
     * option at this position.
     */
    String orOfAFile() {
        return line() > 0 ? "" : " of a file given by --config";
    }

    /** Returns it in the form of compilers and editors: {@code sirocco.toml:12:3}. */
    @Override
    public String toString() {
        return line() == 0 ? source.name() : source.name() + ":" + line() + ":" + column();
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

/**
 * Where in a text something stands. Lines and columns count from 1, columns in characters; what
 * does not stand in a text, such as a default, has the line 0. Immutable.
 *
 * @param source the file as the operator named it, or "command line"
 */
public record Position(String source, int line, int column) {

    /**
     * Completes a hint about a table, whose options only a file has, where the command line has set
     * the option that is here.
     */
    String orOfAFile() {
        return line > 0 ? "" : " of a file given by --config";
    }

    /** As compilers and editors have it: {@code sirocco.toml:12:3}. */
    @Override
    public String toString() {
        return line == 0 ? source : source + ":" + line + ":" + column;
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.command;

import java.util.regex.Pattern;

/** Words of a command line. Any thread. */
final class Words {
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_@%+=:,./-]+");

    private Words() {}

    /** The word as a shell takes it. */
    static String quoted(String word) {
        return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
    }
}

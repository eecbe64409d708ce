// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.command;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Words of a command line. Any thread. */
final class Words {
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_@%+=:,./-]+");

    private Words() {}

    /** The command line of the program with these arguments, as a shell takes it. */
    static String typed(List<String> arguments) {
        return Stream.concat(Stream.of("./sirocco"), arguments.stream().map(Words::quoted))
                .collect(Collectors.joining(" "));
    }

    private static String quoted(String word) {
        return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** Each mistake is said: what it is, where, and what would be right. Nothing is run. */
@Timeout(60)
class WrongCommandLinesTest {
    @TempDir private Path folder;

    private static void refused(String message, String... words) {
        var all = new ArrayList<>(List.of("http"));
        all.addAll(List.of(words));
        var out = new StringWriter();
        var err = new StringWriter();
        var line = new CommandLine(new Bench()).setExpandAtFiles(false); // as the program does
        line.setOut(new PrintWriter(out));
        line.setErr(new PrintWriter(err));
        line.setParameterExceptionHandler(
                (wrong, arguments) -> {
                    err.append(wrong.getMessage());
                    return 2;
                });
        assertEquals(2, line.execute(all.toArray(String[]::new)), err::toString);
        assertTrue(err.toString().contains(message), err::toString);
        assertFalse(err.toString().contains("Exception"), err::toString);
        assertEquals("", out.toString());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "                           | a URL is missing, or --urls FILE",
                "https://h/                 | only http is spoken, not https",
                "ftp://h/                   | only http is spoken, not ftp",
                "http://no.such.invalid/    | the host 'no.such.invalid' is not known",
                "127.0.0.1:8080/            | it should look like http://127.0.0.1:8080/",
                "localhost:8080/            | it should look like http://127.0.0.1:8080/",
                "/index.html                | it should look like http://127.0.0.1:8080/",
                "http://                    | it should look like http://127.0.0.1:8080/",
                "http://127.0.0.1/%zz       | 'http://127.0.0.1/%zz' is no URL: Malformed escape pair at position 17",
                "http://127.0.0.1:70000/    | a port from 1 to 65535",
                "http://127.0.0.1:0/        | a port from 1 to 65535",
                "http://my_host.invalid:1/  | the host 'my_host.invalid' is not known",
                "http://bücher.test/        | a name in its ASCII form (xn--...)",
                "http://me:pw@my_host/      | give -H 'Authorization: ...'",
                "http://me:pw@127.0.0.1/    | give -H 'Authorization: ...'",
                "URL more                   | 'more'"
            })
    void aUrl(String words, String message) {
        refused(message, words == null ? new String[0] : split(words));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "-d 10                | '--duration': '10' is not a time such as 500ms",
                "-d 10x               | '10x' is not a time such as",
                "-d -5s               | '-5s' is not a time such as",
                "-d 1e3s              | '1e3s' is not a time such as",
                "-d 0s                | duration must be positive",
                "-d 9000h             | a time must be at most a year",
                "--timeout 0s         | timeout must be positive",
                "--timeout soon       | '--timeout': 'soon' is not a time such as",
                "--warm-up 1          | '--warm-up': '1' is not a time such as",
                "-c 0                 | connections must be from the number of loops, 1, to",
                "-c 2 -t 3            | connections must be from the number of loops, 3, to",
                "-c many              | '--connections': 'many' is not an int",
                "-t 0                 | loops must be from 1 to 256, not 0",
                "-t 257 -c 300        | loops must be from 1 to 256, not 257",
                "-n 0                 | requests must be at least 1, not 0",
                "-n 1.5               | '1.5' is not a long",
                "--rate -1            | rate must be from 0.001 to 100,000,000",
                "--rate NaN           | rate must be from 0.001 to 100,000,000",
                "--rate 1e-9          | rate must be from 0.001 to 100,000,000",
                "--rate fast          | '--rate': 'fast' is not a double",
                "--pipeline 0         | pipeline must be from 1 to 1000, not 0",
                "--pipeline 4 --close | close leaves nothing to pipeline: choose one of them",
                "--pipeline 4 --rate 9 | choose one of rate and pipeline",
                "--transport kqueue   | 'kqueue' is none of auto, io_uring, epoll, nio",
                "--transport NIO      | 'NIO' is none of auto, io_uring, epoll, nio",
                "--sources here       | '--sources': 'here' is not an IP address",
                "--sources 127.0.0.9- | '127.0.0.9-' is not",
                "--sources 127.0.0.9-127.0.0.2 | '127.0.0.9-127.0.0.2' is not a range of 1 to",
                "--sources 10.0.0.0-10.9.0.0   | '10.0.0.0-10.9.0.0' is not a range of 1 to",
                "--sources ::1-::9    | a range is of IPv4 addresses, not of '::1'",
                "-H Name              | -H 'Name' is not of the form 'Name: value'",
                "-H :value            | -H ':value' is not of the form 'Name: value'",
                "-H A:1 -H a:2        | -H a is given twice",
                "-H A/B:1             | the name of the field is not made of letters, digits and",
                "-m GE/T              | the method is not made of letters, digits and",
                "-m=                  | the method is not made of letters, digits and",
                "--body @no/such/file | --body: there is no file no/such/file",
                "--body @.            | cannot read the body from .",
                "--prot nio           | Unknown option",
                "--urls no/such/file  | give a URL or --urls, not both",
            })
    void anOption(String words, String message) {
        var all = new ArrayList<>(List.of(split(words)));
        all.add("http://127.0.0.1:8080/");
        refused(message, all.toArray(String[]::new));
    }

    private static String[] split(String words) {
        return words.split(" +");
    }

    @Test
    void aHeaderOfTwoLines() {
        refused("the field A holds a line end", "http://127.0.0.1/", "-H", "A: b\r\nC: d");
        refused("the name of the field is not made of", "http://127.0.0.1/", "-H", "A : b");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                "http://127.0.0.1/~nonsense|:2: 'nonsense' is not a whole URL",
                "# a~~http://127.0.0.1/~https://127.0.0.1/|:4: 'https://127.0.0.1/': only http",
                "http://127.0.0.1/~http://127.0.0.1:81/|:2: all URLs must be of one server, and the first is of 127.0.0.1",
                "http://127.0.0.1/~0 http://127.0.0.1/|:2: a weight is from 1 to 999,999, not 0",
                "1000000 http://127.0.0.1/|:1: a weight is from 1 to 999,999, not 1000000",
                "99999999999 http://127.0.0.1/|:1: a weight is from 1 to 999,999, not 99999999999",
                "-1 http://127.0.0.1/|:1: '-1 http://127.0.0.1/' is not a whole URL",
                "http://127.0.0.1/a b|:1: 'http://127.0.0.1/a b' is no URL: Illegal character in path at position 18",
                "http://no.such.invalid/|:1: the host 'no.such.invalid' is not known",
                "# nothing~~  # else| has 0 URLs; it should have 1 to"
            })
    void aFileOfUrls(String lines, String message) throws Exception {
        Path urls = Files.writeString(folder.resolve("urls"), lines.replace('~', '\n'));
        refused(urls + message, "--urls", urls.toString());
    }

    @Test
    void aFileThatCannotBeRead() throws Exception {
        refused("there is no file no/such/file", "--urls", "no/such/file");
        refused("cannot read " + folder, "--urls", folder.toString());
        Path latin = Files.write(folder.resolve("latin"), new byte[] {'#', (byte) 0xe4, '\n'});
        refused(latin + " is not UTF-8 text", "--urls", latin.toString());
    }
}

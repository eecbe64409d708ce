// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.access;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lists of users: what htpasswd writes, and what is said of other lines. */
class UsersTest {
    /** The password is {@code U*U}: a published vector of bcrypt, under its three names. */
    private static final String VECTOR =
            "$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";

    @TempDir Path folder;

    private Users read(String... lines) throws IOException {
        return Users.read(Files.write(folder.resolve("users"), List.of(lines)));
    }

    private static boolean verify(Users users, String name, String password) {
        return users.verify(new Credentials(name, password.getBytes(UTF_8)));
    }

    @Test
    void eachNameOfBcryptIsRead() throws IOException {
        Users users =
                read("# members", "", "a:$2a" + VECTOR, "b:$2b" + VECTOR, " y:$2y" + VECTOR + " ");
        assertEquals(3, users.size());
        for (String name : List.of("a", "b", "y")) {
            assertTrue(verify(users, name, "U*U"), name);
            assertFalse(verify(users, name, "U*V"), name);
            assertFalse(verify(users, name, ""), name);
        }
    }

    @Test
    void whoIsNotThereIsNotVerifiedWhateverThePassword() throws IOException {
        for (Users users : List.of(read(), read("a:$2a" + VECTOR))) {
            for (String password : List.of("", "U*U", "x".repeat(100))) {
                assertFalse(verify(users, "b", password));
            }
        }
    }

    @Tag("peers")
    @Test
    void whatHtpasswdWritesIsRead() throws Exception {
        Path file = folder.resolve("users");
        htpasswd("-c", file, "ann", "correct horse");
        htpasswd("-C", file, "żółw", "zażółć gęślą jaźń");
        htpasswd("-C", file, "long", "0123456789".repeat(9));
        Users users = Users.read(file);
        assertEquals(3, users.size());
        assertTrue(verify(users, "ann", "correct horse"));
        assertFalse(verify(users, "ann", "correct horsf"));
        assertTrue(verify(users, "żółw", "zażółć gęślą jaźń"));
        assertTrue(verify(users, "long", "0123456789".repeat(9)));
    }

    private static void htpasswd(String option, Path file, String name, String password)
            throws Exception {
        List<String> command =
                option.equals("-c")
                        ? List.of("htpasswd", "-cbB", file.toString(), name, password)
                        : List.of("htpasswd", "-bBC", "5", file.toString(), name, password);
        Process process;
        try {
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            assumeTrue(false, "htpasswd (apache2-utils) is not installed");
            return;
        }
        assertTrue(process.waitFor(20, TimeUnit.SECONDS));
        assertEquals(0, process.exitValue(), new String(process.getInputStream().readAllBytes()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    $apr1$salt$0123456789abcdefghijkl        | with MD5
                    {SHA}qvTGHdzF6KLavt4PO0gs2a6pQ00=        | with SHA-1
                    $6$salt$0123                             | a crypt of the system
                    $y$j9T$salt$0123                         | a crypt of the system
                    abJnggxhB/yWI                            | with DES
                    secret                                   | is not hashed
                    $2x$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW  | of an unknown kind
                    $2y$05$CCCCCCCCCCCCCCCCCCCCC             | not whole
                    """)
    void otherHashesAreRefusedWithTheLineAndWhatToDo(String hash, String kind) {
        String message =
                assertThrows(
                                IllegalArgumentException.class,
                                () -> read("# list", "a:$2a" + VECTOR, "bob:" + hash))
                        .getMessage();
        assertTrue(message.startsWith(folder.resolve("users") + ":3: "), message);
        assertTrue(message.contains("\"bob\""), message);
        assertTrue(message.contains(kind), message);
        assertTrue(message.contains("htpasswd -B FILE bob"), message);
        assertFalse(message.contains(hash), "the message gives the hash away: " + message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    bob                                                            | no user
                    :$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW  | no user
                    b:$2a$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW | the cost 31
                    b:$2a$03$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW | the cost 3
                    a:$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW | twice
                    """)
    void otherLinesAreRefused(String line, String wrong) {
        String message =
                assertThrows(IllegalArgumentException.class, () -> read("a:$2a" + VECTOR, line))
                        .getMessage();
        assertTrue(message.startsWith(folder.resolve("users") + ":2: "), message);
        assertTrue(message.contains(wrong), message);
    }

    @Test
    void aFileThatIsNoTextIsRefused() throws IOException {
        Path file = Files.write(folder.resolve("users"), new byte[] {(byte) 0xff, (byte) 0xfe});
        assertThrows(IllegalArgumentException.class, () -> Users.read(file));
        assertThrows(IOException.class, () -> Users.read(folder.resolve("absent")));
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.TransportKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command line wins over the file. */
class OverridesTest {

    @Test
    void nothingSaidAndNoFileIsTheManual() throws Exception {
        assertEquals(Read.valid("").toJson(), Configuration.of(Overrides.NONE).toJson());
        assertEquals(List.of(), Configuration.of(Overrides.NONE).warnings());
    }

    @Test
    void singleOptionsStandInThePlaceOfThoseOfTheFile() {
        var said =
                new Overrides(
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.of(3),
                        Optional.of(TransportKind.NIO),
                        Optional.of(Duration.ofMillis(2500)),
                        false);
        Configuration both =
                Read.valid("[server]\nloops = 7\nname = \"x\"\n[timeouts]\nidle = \"1s\"\n", said);
        assertEquals(3, both.server().loops());
        assertEquals(TransportKind.NIO, both.server().transport());
        assertEquals("x", both.server().name());
        assertEquals(Duration.ofMillis(2500), both.timeouts().idle());
    }

    @Test
    void aPortChangesTheOneAddressOfAFile() {
        String file = "[[listen]]\naddress = \"10.0.0.1:80\"\nbacklog = 7\n";
        Listen listen = Read.valid(file, port(9000)).listen().getFirst();
        assertEquals(new Address.Internet("10.0.0.1", 9000), listen.address());
        assertEquals(7, listen.backlog());
    }

    @Test
    void aHostChangesTheOneAddressOfAFile() {
        assertEquals("[::1]:80", address("[[listen]]\naddress = \":80\"\n", host("::1")));
        assertEquals("0.0.0.0:8080", address("", host("0.0.0.0")));
        assertEquals("127.0.0.1:9000", address("", port(9000)));
        assertEquals(
                "127.0.0.1:9000", address("[[listen]]\naddress = \"unix:/run/a\"\n", port(9000)));
    }

    @Test
    void severalAddressesAreReplacedByOneAndAWarningSaysSo() {
        String file = "[[listen]]\naddress = \":80\"\n[[listen]]\naddress = \":81\"\nbacklog = 7\n";
        Configuration both = Read.valid(file, port(9000));
        assertEquals(1, both.listen().size());
        assertEquals("127.0.0.1:9000", both.listen().getFirst().address().toString());
        assertEquals(4096, both.listen().getFirst().backlog());
        assertEquals(
                """
                command line: warning: "127.0.0.1:9000" replaces the 2 [[listen]] tables of the file
                      | --port 9000
                      | ^^^^^^^^^^^
                  without this option the server listens on all of them
                """,
                both.warnings().getFirst().toString());
    }

    @Test
    void selfSignedMakesHttpsOfAllAddresses() {
        Configuration alone = Read.valid("", SELF_SIGNED);
        assertTrue(alone.tls().selfSigned() && alone.listen().getFirst().tls());
        String file =
                "[[listen]]\naddress = \":80\"\nredirect-to-https = 81\n"
                        + "[[listen]]\naddress = \":81\"\n";
        List<Boolean> tls =
                Read.valid(file, SELF_SIGNED).listen().stream().map(Listen::tls).toList();
        assertEquals(List.of(false, true), tls);
    }

    @Test
    void selfSignedLeavesTheHttpsOfAFileAlone() {
        String file = "[[listen]]\naddress = \":80\"\n[[listen]]\naddress = \":81\"\ntls = true\n";
        List<Boolean> tls =
                Read.valid(file, SELF_SIGNED).listen().stream().map(Listen::tls).toList();
        assertEquals(List.of(false, true), tls);
    }

    @Test
    void aDirectoryIsTheRootOfTheSiteWithoutHosts(@TempDir Path folder) {
        var said = directory(folder);
        assertEquals(Optional.of(folder), Read.valid("", said).sites().getFirst().files().root());
        String file = "[[site]]\nhosts = [\"a.example\"]\n[[site]]\nlisting = true\n";
        List<Site> sites = Read.valid(file, said).sites();
        assertEquals(2, sites.size());
        assertEquals(Optional.empty(), sites.get(0).files().root());
        assertEquals(Optional.of(folder), sites.get(1).files().root());
        assertTrue(sites.get(1).files().listing());
    }

    @Test
    void aDirectoryIsASiteOfItsOwnWhereAllOthersHaveHosts(@TempDir Path folder) {
        List<Site> sites =
                Read.valid("[[site]]\nhosts = [\"a.example\"]\n", directory(folder)).sites();
        assertEquals(2, sites.size());
        assertEquals(Optional.of(folder), sites.get(1).files().root());
        assertEquals(List.of(), sites.get(1).hosts());
    }

    @Test
    void whatIsWrongWithTheCommandLineIsShownLikeThat() {
        assertEquals(
                """
                command line: error: "address" has an invalid port: 99999
                      | --port 99999
                      | ^^^^^^^^^^^^
                  a port is 0 to 65535
                """,
                Read.problems("", port(99999)));
        String missing = Read.problems("", directory(Path.of("/nowhere/at/all")));
        assertTrue(
                missing.startsWith("command line: error: \"root\": /nowhere/at/all does not"),
                missing);
    }

    @Test
    void mistakesOfTheFileAreShownAsWithoutIt() {
        String wrong = "server = 1\nlisten = 2\ntls = 3\ndeadlines = 4\nsite = 5\n";
        var all =
                new Overrides(
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.of(1),
                        Optional.of(TransportKind.NIO),
                        Optional.of(Duration.ZERO),
                        false);
        assertEquals(Read.problems(wrong, Overrides.NONE), Read.problems(wrong, all));
    }

    @Test
    void aBrokerOfTheCommandLineNeedsASecretAndIsToldItsOption() {
        assertEquals(
                """
                command line: error: "broker" needs "ticket-secret-file": the other nodes would refuse the tickets of this one
                      | --broker redis://localhost:6379
                      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
                  set ticket-secret-file (--ticket-secret-file) in [live] to a file with the same 16 bytes or more on all nodes, or ticket-path = "" for no tickets
                """,
                Read.problems("", option("live", "broker", "redis://localhost:6379")));
    }

    /** Clients with a password get tickets, also where the others have tokens. */
    @Test
    void aPasswordOfTheCommandLineNeedsASecretOfTicketsWithABroker(@TempDir Path folder)
            throws Exception {
        Path key = Files.writeString(folder.resolve("key"), "0123456789abcdef0123456789abcdef");
        String file =
                "[live]\nbroker = \"redis://localhost:6379\"\njwt-secret-file = \"%s\"\n"
                        .formatted(key);
        Read.valid(file, Overrides.NONE);
        String problems =
                Read.problems(file, Overrides.NONE.with(Optional.of("secret"), List.of()));
        assertTrue(problems.contains("\"broker\" needs \"ticket-secret-file\""), problems);
        assertTrue(
                problems.contains("  set ticket-secret-file (--ticket-secret-file) in [live]"),
                problems);
    }

    @Test
    void anAdminAddressOfTheCommandLineNeedsATokenThatOnlyAFileGives() {
        String problems = Read.problems("", option("admin", "address", ":9180"));
        assertTrue(problems.contains("  in [admin] of a file given by --config, set"), problems);
    }

    private static Overrides option(String table, String key, String value) {
        String words = "--" + (key.equals("address") ? table : key) + " " + value;
        return Overrides.NONE.with(
                Optional.empty(), List.of(new Overrides.Option(table, key, value, words, true)));
    }

    private static String address(String file, Overrides said) {
        return Read.valid(file, said).listen().getFirst().address().toString();
    }

    private static final Overrides SELF_SIGNED =
            said(Optional.empty(), Optional.empty(), Optional.empty(), true);

    private static Overrides port(int port) {
        return said(Optional.empty(), Optional.empty(), Optional.of(port), false);
    }

    private static Overrides host(String host) {
        return said(Optional.empty(), Optional.of(host), Optional.empty(), false);
    }

    private static Overrides directory(Path directory) {
        return said(Optional.of(directory), Optional.empty(), Optional.empty(), false);
    }

    private static Overrides said(
            Optional<Path> directory,
            Optional<String> host,
            Optional<Integer> port,
            boolean selfSigned) {
        return new Overrides(
                directory,
                host,
                port,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                selfSigned);
    }
}

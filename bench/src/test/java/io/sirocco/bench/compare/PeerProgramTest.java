// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.bench.compare.PeerProgram.Prepared;
import io.sirocco.bench.report.Race;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PeerProgramTest {
    @TempDir private Path folder;

    @BeforeEach
    void needs() {
        Needs.programs("setsid");
        Needs.programs("bash");
    }

    @Test
    void tellsWhatItIs() throws Exception {
        Prepared prepared = prepare(peer().on("works", "echo plaintext churn"));
        var ready = assertInstanceOf(Prepared.Ready.class, prepared);
        assertEquals(
                new Race.Peer("one", "Python", "1.2.3", "one thread for each connection", ""),
                ready.peer());
        assertEquals(Set.of("plaintext", "churn"), ready.works());
    }

    @Test
    void theReasonOfAnAbsentOneIsItsOwn() throws Exception {
        String reason = "go is not installed (package golang-go)";
        assertEquals(reason, absence(peer().on("absent", "echo '" + reason + "'; exit 1")));
    }

    @Test
    void aBuildThatFailsGivesItsLastLine() throws Exception {
        var peer =
                peer().on("build", "echo compiling; echo 'error: no such crate' >&2; echo; exit 1");
        assertEquals("its build failed: error: no such crate", absence(peer));
        Path log = folder.resolve("one-build.log");
        assertTrue(Files.readString(log).startsWith("compiling\n"));
    }

    @Test
    void aScriptThatBreaksIsAbsent() throws Exception {
        var peer = peer().on("version", "echo broken >&2; exit 3");
        assertEquals("'peer version' failed: broken", absence(peer));
    }

    @Test
    void aFolderWithoutAScriptIsAbsent() throws Exception {
        var program = new PeerProgram(folder.resolve("none"), folder.resolve("home"), folder);
        assertTrue(program.prepare().peer().absent().startsWith("there is no program "));
    }

    @Test
    void buildsWithTheJdkOfTheRace() throws Exception {
        prepare(peer().on("build", "echo \"$JAVA_HOME\""));
        assertEquals(
                System.getProperty("java.home") + "\n",
                Files.readString(folder.resolve("one-build.log")));
    }

    private PeerFolder peer() {
        return PeerFolder.of(folder, "one");
    }

    private String absence(PeerFolder peer) throws Exception {
        return assertInstanceOf(Prepared.Absent.class, prepare(peer)).peer().absent();
    }

    private Prepared prepare(PeerFolder peer) throws Exception {
        return new PeerProgram(peer.write(), folder.resolve("home"), folder).prepare();
    }
}

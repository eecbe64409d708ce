// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ProcStatTest {
    @Test
    void aProgramWhoseNameLooksLikeFields() {
        String line =
                "4711 (a) R 9 (b) S 4000 4711 4242 0 -1 4194304 1 2 3 4 100 20 3000 400 20 0 1 0 77 8 9";
        assertEquals(new ProcStat(4711, 'S', 4242, 3520), ProcStat.parse(line));
    }

    @Test
    void thisProcessIsInItsSession() throws Exception {
        long self = ProcessHandle.current().pid();
        long session = ProcStat.parse(Files.readString(Path.of("/proc/self/stat"))).session();
        assertTrue(ProcStat.ofSession(session).stream().anyMatch(stat -> stat.pid() == self));
    }
}

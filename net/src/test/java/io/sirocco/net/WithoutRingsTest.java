// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** io_uring is refused: by a filter of system calls, as in containers, or for want of memory. */
@Tag("peers")
@Timeout(60)
class WithoutRingsTest {
    private static final String FILTER = "src/test/peers/without-rings.py";

    private static String run(String action, String... arguments) throws Exception {
        return run(List.of("python3", FILTER, action), arguments);
    }

    private static String run(List<String> prefix, String... arguments) throws Exception {
        var command = new ArrayList<>(prefix);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.add(Child.class.getName());
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
        return output;
    }

    @ParameterizedTest
    @ValueSource(strings = {"eperm", "enosys", "kill"})
    void autoChoosesEpollAndSaysWhy(String action) throws Exception {
        String output = run(action, "AUTO");
        assertTrue(output.contains("using epoll: io_uring is not available here"), output);
        assertTrue(output.endsWith("EPOLL\n"), output);
    }

    @ParameterizedTest
    @ValueSource(strings = {"eperm", "enosys", "kill"})
    void aRingThatIsAskedForIsRefused(String action) throws Exception {
        String output = run(action, "IO_URING");
        assertTrue(output.contains("io_uring is not available here"), output);
    }

    /** Rings count as locked memory of users without CAP_IPC_LOCK. */
    @Test
    void theLimitOfLockedMemoryIsNamed() throws Exception {
        var limited = new ArrayList<>(List.of("prlimit", "--memlock=65536"));
        if (System.getProperty("user.name").equals("root")) { // others have no capabilities
            limited.addAll(List.of("setpriv", "--bounding-set=-ipc_lock", "--inh-caps=-ipc_lock"));
        }
        String output = run(limited, "AUTO");
        assertTrue(output.contains("locked memory (ulimit -l) may be too low"), output);
        assertTrue(output.endsWith("EPOLL\n"), output);
    }

    /** The program of the filtered JVM: prints the transport that it gets, or why it has none. */
    static final class Child {
        private Child() {}

        public static void main(String[] arguments) {
            TransportKind wanted = TransportKind.valueOf(arguments[0]);
            try (Loops loops = Loops.start(settings -> settings.loops(1).transport(wanted))) {
                System.out.println(loops.all().getFirst().transport());
            } catch (IOException e) {
                System.out.println(e.getMessage());
            }
        }
    }
}

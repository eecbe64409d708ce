// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.home;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.app.Child;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A controller whose address comes and goes, in a network namespace of its own. */
@Tag("peers")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HomeAddressProcessTest {
    @TempDir Path folder;

    @BeforeAll
    static void namespaces() throws Exception {
        boolean are = false;
        try {
            String[] trial = {
                "unshare", "-rn", "sh", "-c", "ip link set lo up && nsenter --version"
            };
            Process process =
                    new ProcessBuilder(trial)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start();
            are = process.waitFor(20, TimeUnit.SECONDS) && process.exitValue() == 0;
            process.destroyForcibly();
        } catch (IOException e) {
            // there is no such program
        }
        assumeTrue(are, "needs network namespaces for users (util-linux, iproute2)");
    }

    private Child home(String prepare, String on) throws IOException {
        return Child.inOwnNetwork(
                prepare,
                "home",
                "--demo",
                "--dir",
                folder.resolve("demo").toString(),
                "--admin",
                "none",
                "--interface",
                on);
    }

    @Test
    void anAddressThatIsGoneEndsTheController() throws Exception {
        String prepare = "ip link set lo up && ip address add 10.72.31.1/32 dev lo";
        try (Child home = home(prepare, "10.72.31.1")) {
            String line = home.line();
            assertTrue(line.contains("udp://10.72.31.1:"), line);
            home.inNetwork("ip", "address", "del", "10.72.31.1/32", "dev", "lo");
            String why = home.err();
            assertTrue(why.contains("10.72.31.1 is no address of this machine any more"), why);
            assertTrue(why.contains("start it again for the new address of lo"), why);
            assertEquals(1, home.exitCode());
        }
    }

    @Test
    void anInterfaceWithoutAnAddressIsWaitedFor() throws Exception {
        try (Child home = home("true", "lo")) {
            assertEquals("lo has no IPv4 address yet: waiting for one", home.line());
            home.inNetwork("ip", "link", "set", "lo", "up"); // which gives it its address
            String line = home.nextLine();
            assertTrue(line.contains("udp://127.0.0.1:"), line);
        }
    }

    @Test
    void aControllerThatWaitsForAnAddressMayBeStopped() throws Exception {
        try (Child home = home("true", "lo")) {
            assertEquals("lo has no IPv4 address yet: waiting for one", home.line());
            home.signal("TERM");
            assertEquals("", home.nextLine());
            home.exitCode(); // it ends
        }
    }
}

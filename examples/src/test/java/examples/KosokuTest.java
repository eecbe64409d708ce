// SPDX-License-Identifier: Apache-2.0
package examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * All cases of Autobahn, which takes minutes: kosoku against the example, in a JVM of its own. Each
 * change passes a part of them, by {@code .ci/run}.
 */
@Tag("heavy")
class KosokuTest {
    private static final int LEFT_OUT = 77;

    private static Process echo() throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        "--add-opens=java.base/java.lang=ALL-UNNAMED",
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:+UseSerialGC",
                        "-Xmx1g",
                        "-cp",
                        System.getProperty("java.class.path"),
                        WebSocketEcho.class.getName(),
                        "0")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    @Test
    @Timeout(1_800)
    void findsWhatIsExpectedInAllCases() throws Exception {
        Process echo = echo();
        try {
            String address = URI.create(echo.inputReader().readLine()).getAuthority();
            String script = Snippets.TOP.resolve(".ci/web/kosoku").toString();
            Process kosoku =
                    new ProcessBuilder(List.of("bash", script, "--all", address))
                            .redirectErrorStream(true)
                            .start();
            String said = kosoku.inputReader().readAllAsString();
            int status = kosoku.waitFor();
            assumeFalse(status == LEFT_OUT, said);
            assertEquals("", said);
            assertEquals(0, status);
        } finally {
            echo.destroyForcibly().waitFor();
        }
    }
}

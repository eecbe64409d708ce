// SPDX-License-Identifier: Apache-2.0
package examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The page for those who move over from Fire-IO shows the programs that are run here. */
class FromFireIoTest {
    private static String program(Class<?> of) {
        String file = "src/main/java/examples/" + of.getSimpleName() + ".java";
        return Snippets.text(Path.of(file)).replaceAll("\\s", "");
    }

    @Test
    void itsProgramsAreTheExamples() {
        List<String> shown = Snippets.in(Snippets.TOP.resolve("docs/from-fire-io.md"));
        List<Class<?>> examples = List.of(LiveGate.class, LiveRush.class);
        assertEquals(examples.size(), shown.size());
        for (int i = 0; i < examples.size(); i++) {
            String block = shown.get(i).replaceAll("\\s", "");
            assertTrue(program(examples.get(i)).contains(block), shown.get(i));
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WelcomeSiteTest {

    private static final Pattern REFERENCE = Pattern.compile("(?:src|href)=\"([^\"]*)\"");
    private static final Pattern ELEMENT = Pattern.compile("\\$\\(\"([^\"]*)\"\\)");

    @Test
    void everyFileThatThePageNamesIsBundled() throws IOException {
        List<String> named = all(REFERENCE, text("index.html"));
        assertTrue(named.contains("style.css") && named.contains("welcome.js"), named.toString());
        for (String name : named) text(name);
    }

    @Test
    void everyElementThatTheScriptNamesIsOnThePage() throws IOException {
        String page = text("index.html");
        List<String> missing =
                all(ELEMENT, text("welcome.js")).stream()
                        .filter(id -> !page.contains("id=\"" + id + "\""))
                        .toList();
        assertEquals(List.of(), missing);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/hello/{name}", "/bytes/{length}", "/echo", "/ticks", "/upload"})
    void everyEndpointIsOnThePage(String endpoint) throws IOException {
        assertTrue(text("index.html").contains("<code>" + endpoint + "</code>"), endpoint);
    }

    /** So that it may be served with {@code Content-Security-Policy: default-src 'self'}. */
    @ParameterizedTest
    @ValueSource(strings = {"style=", "onclick=", "<style", "://", "//cdn"})
    void thePageHoldsNothingInlineAndNothingFromElsewhere(String foreign) throws IOException {
        String page = text("index.html").replace("curl http://localhost:8080", "curl");
        assertFalse(page.contains(foreign), foreign);
    }

    private static List<String> all(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(found -> found.group(1)).toList();
    }

    private static String text(String name) throws IOException {
        try (var in = Main.class.getResourceAsStream("welcome/" + name)) {
            assertNotNull(in, "not bundled: " + name);
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The sample scripts of PokerFace, as they are written here. */
@ExtendWith(LoadedLanguage.class)
class SamplesTest {
    @TempDir Path folder;

    @Test
    void aGreetingInTheLanguageOfTheClient() {
        Site.write(
                folder,
                "helloWorld.html.js",
                """
                let greetings;
                export function setup(context) {
                    greetings = context.config.greetings;
                }
                export function generateResponse(request) {
                    const language = request.languages.find((each) => each in greetings) ?? "en";
                    return {
                        headers: { "Content-Type": "text/html; charset=utf-8", "Content-Language": language },
                        body: `<p>${greetings[language]}`,
                    };
                }
                """);
        var greetings = Map.of("en", "Hello, world", "es", "¡Hola, mundo!", "fr", "Bonjour");
        try (var site =
                new Site(folder, options -> options.config(Map.of("greetings", greetings)))) {
            Site.Reply reply =
                    site.get("/helloWorld.html", "Accept-Language", "es, fr;q=0.8, en;q=0.7");
            assertEquals(200, reply.status());
            assertEquals("<p>¡Hola, mundo!", reply.body());
            assertEquals("text/html; charset=utf-8", reply.header("Content-Type"));
            assertEquals(
                    "<p>Bonjour",
                    site.text("/helloWorld.html", "Accept-Language", "de, fr;q=0.1, es;q=0"));
            assertEquals("<p>Hello, world", site.text("/helloWorld.html"));
        }
    }

    @Test
    void halfOfTheClientsGetTheOtherPage() {
        Site.write(
                folder,
                "page.js",
                "export const generateResponse = () =>"
                        + " ({ body: kv.increment('requests') % 2 === 1 ? 'a' : 'b' });");
        try (var site = new Site(folder)) {
            var counts = new HashMap<String, Integer>();
            for (int i = 0; i < 100; i++) {
                counts.merge(site.text("/page"), 1, Integer::sum);
            }
            assertEquals(Map.of("a", 50, "b", 50), counts);
        }
    }
}

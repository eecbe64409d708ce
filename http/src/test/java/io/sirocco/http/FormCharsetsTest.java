// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sirocco.http.message.Disposition;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** No text of a form is lost without an error, and no digest outlives what it was made of. */
class FormCharsetsTest extends OnTheWire {
    @Override
    void routes(Routes routes) {
        routes.post("/form", r -> Response.text(r.form().first("a", "none")));
        routes.get(
                "/digests",
                r ->
                        Response.text("text")
                                .header("Content-Digest", "sha-256=:AA==:")
                                .header("Repr-Digest", "sha-256=:AA==:")
                                .header("Digest", "SHA-256=AA==")
                                .header("Content-MD5", "AA==")
                                .header("X-Kept", "1")
                                .transformBody(out -> out));
    }

    private Answer form(String parameter) {
        return wireWhole(
                """
                POST /form HTTP/1.1
                Host: a
                Content-Type: application/x-www-form-urlencoded%s
                Content-Length: 8

                a=%%C3%%A9"""
                        .formatted(parameter));
    }

    @Test
    void aFormInAnotherCharset() {
        form("").answers(200, "Ã©").goesOn(); // the bytes of UTF-8
        form("; charset=UTF-8").answers(200, "Ã©").goesOn();
        String why = "The form must be in UTF-8, not in another charset.";
        form("; charset=ISO-8859-2").answers(415, why).goesOn();
        form("; charset=utf-16").answers(415, why).goesOn();
        form("; charset=nonsense").answers(415, why).goesOn();
    }

    @Test
    void aNameThatIsNotAscii() {
        assertEquals(Optional.of("naïve"), name("name*=utf-8''na%C3%AFve"));
        assertEquals(Optional.of("naïve"), name("name*=UTF-8'en'na%C3%AFve; filename=x"));
        assertEquals(Optional.of("a"), name("name=a; name*=utf-8''b"));
        assertEquals(Optional.empty(), name("name*=utf-8''%C"));
        assertEquals(Optional.empty(), name("name*=latin1''a"));
    }

    private static Optional<String> name(String parameters) {
        return Disposition.parse("form-data; " + parameters).map(Disposition::name);
    }

    @Test
    void digestsOfAChangedBody() {
        wireWhole("GET /digests HTTP/1.1\nHost: a\n\n")
                .answers(200, "text")
                .header("X-Kept", "1")
                .header("Content-Digest")
                .header("Repr-Digest")
                .header("Digest")
                .header("Content-MD5")
                .goesOn();
    }
}

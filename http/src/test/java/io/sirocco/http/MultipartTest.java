// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Multipart.Limits;
import io.sirocco.http.message.Disposition;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MultipartTest {
    private static final MediaType TYPE =
            MediaType.parse("multipart/form-data; boundary=b").orElseThrow();

    private static final String FORM =
            """
            --b
            Content-Disposition: form-data; name="user"

            Łukasz
            --b
            Content-Disposition: form-data; name="file"; filename="C:\\pics\\a%22b.png"
            Content-Type: image/png

            12345
            --b
            content-disposition: Form-Data; name=empty; filename=""

            \

            --b--
            """;

    private static Multipart form(String body) {
        return form(new ByteArrayInputStream(body.replace("\n", "\r\n").getBytes(UTF_8)));
    }

    private static Multipart form(InputStream in) {
        return Multipart.of(in, TYPE);
    }

    /** Gives at most so many bytes at once. */
    private static InputStream trickle(byte[] bytes, int step) {
        return new ByteArrayInputStream(bytes) {
            @Override
            public int read(byte[] into, int from, int length) {
                return super.read(into, from, Math.min(step, length));
            }
        };
    }

    @Test
    void fieldsAndFilesAreReadHoweverTheyArrive() {
        byte[] bytes = FORM.replace("\n", "\r\n").getBytes(UTF_8);
        for (int step = 1; step <= bytes.length; step++) {
            var seen = new ArrayList<String>();
            for (Part part : form(trickle(bytes, step))) {
                seen.add(
                        part.name()
                                + " "
                                + part.filename()
                                + " "
                                + part.contentType()
                                + " "
                                + part.text());
            }
            assertEquals(
                    List.of(
                            "user Optional.empty text/plain Łukasz",
                            "file Optional[a\"b.png] image/png 12345",
                            "empty Optional[] text/plain "),
                    seen);
        }
    }

    @Test
    void whatIsNotReadIsSkipped() throws IOException {
        var names = new ArrayList<String>();
        for (Part part : form(FORM)) {
            names.add(part.name() + part.stream().read());
        }
        assertEquals(List.of("user197", "file49", "empty-1"), names);
    }

    @Test
    void aLargePartStreams() throws IOException {
        byte[] data = new byte[300_000];
        new Random(3).nextBytes(data);
        var body = new java.io.ByteArrayOutputStream();
        body.writeBytes("--b\r\nContent-Disposition: form-data; name=x\r\n\r\n".getBytes(UTF_8));
        body.writeBytes(data);
        body.writeBytes("\r\n--b--\r\n".getBytes(UTF_8));
        var part = form(new ByteArrayInputStream(body.toByteArray())).iterator().next();
        assertArrayEquals(data, part.stream().readAllBytes());
    }

    @Test
    void aPartIsClosedWhenTheNextOneIsAskedFor() {
        var parts = form(FORM).iterator();
        var first = parts.next();
        assertTrue(parts.hasNext());
        assertThrows(IOException.class, first.stream()::read);
        assertThrows(UncheckedIOException.class, first::bytes);
    }

    @Test
    void theEndIsTheEnd() {
        var parts = form("--b--").iterator();
        assertFalse(parts.hasNext());
        assertFalse(parts.hasNext());
        assertThrows(NoSuchElementException.class, parts::next);
    }

    @Test
    void onlyOnce() {
        var form = form(FORM);
        form.iterator();
        assertThrows(IllegalStateException.class, form::iterator);
    }

    @Test
    void aTruncatedBodyIsABadRequestEachTime() {
        String open = "--b\nContent-Disposition: form-data; name=x\n\nabc";
        var parts = form(open).iterator();
        var part = parts.next();
        assertEquals(400, assertThrows(BadRequest.class, part::bytes).status());
        assertThrows(BadRequest.class, part::bytes);
        assertThrows(BadRequest.class, parts::hasNext);
        assertThrows(BadRequest.class, () -> form("").iterator().hasNext());
    }

    @Test
    void aBrokenConnectionIsNoBadRequest() {
        var broken =
                new InputStream() {
                    @Override
                    public int read() throws IOException {
                        throw new IOException("reset");
                    }
                };
        assertThrows(UncheckedIOException.class, () -> form(broken).iterator().hasNext());
    }

    @Test
    void tooMuchIsContentTooLarge() {
        var in = new ByteArrayInputStream(FORM.replace("\n", "\r\n").getBytes(UTF_8));
        var part = Multipart.of(in, TYPE, new Limits(10, 1_000, 3, 10_000)).iterator().next();
        assertEquals(413, assertThrows(BadRequest.class, part::text).status());
        assertThrows(IllegalArgumentException.class, () -> new Limits(-1, 1, 1, 1));
    }

    @Test
    void aPartNeedsAName() {
        for (String head :
                List.of(
                        "A: b\n",
                        "Content-Disposition: form-data\n",
                        "Content-Disposition: form-data; filename=x\n",
                        "Content-Disposition: attachment; name=x\n")) {
            var parts = form("--b\n" + head + "\nx\n--b--").iterator();
            assertThrows(BadRequest.class, parts::hasNext, head);
        }
    }

    @Test
    void otherTypesAndBadBoundariesAreRefused() {
        assertEquals(415, refused("text/plain; boundary=b"));
        assertEquals(400, refused("multipart/form-data"));
        assertEquals(400, refused("multipart/form-data; boundary=\"\""));
    }

    private static int refused(String type) {
        var parsed = MediaType.parse(type).orElseThrow();
        var nothing = InputStream.nullInputStream();
        return assertThrows(BadRequest.class, () -> Multipart.of(nothing, parsed)).status();
    }

    @Test
    void namesOfFilesLoseTheirFolders() {
        assertFile("form-data; name=a; filename=\"../../etc/passwd\"", "passwd");
        assertFile("form-data; name=a; filename=\"..\"", "");
        assertFile("form-data; name=a; filename=\"a\\\"b.txt\"", "a\"b.txt");
        assertFile("form-data; name=a; filename=\"a;b=c.txt\"", "a;b=c.txt");
        assertFile("form-data; name=a; filename*=UTF-8''evil; filename=good%41", "good%41");
        assertEquals(
                Optional.empty(),
                Disposition.parse("form-data; name=a; filename*=UTF-8''x")
                        .orElseThrow()
                        .filename());
    }

    private static void assertFile(String field, String name) {
        assertEquals(Optional.of(name), Disposition.parse(field).orElseThrow().filename());
    }
}

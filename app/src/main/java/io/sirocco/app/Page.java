// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.http.Handler;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/**
 * Serves a bundled file. It is read at the first request, which saves some milliseconds at the
 * start. Any thread.
 */
final class Page implements Handler {
    private final String resource;
    private final String type;
    private volatile Response made;

    Page(String resource, String type) {
        this.resource = resource;
        this.type = type;
    }

    @Override
    public Response handle(Request request) {
        if (made == null) { // two threads create equal responses
            made =
                    Response.bytes(read(resource))
                            .contentType(type)
                            .header("Cache-Control", "no-cache")
                            .header("Content-Security-Policy", "default-src 'self'")
                            .header("X-Content-Type-Options", "nosniff");
        }
        return made;
    }

    private static byte[] read(String resource) {
        try (InputStream in = Page.class.getResourceAsStream(resource)) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException("the page is not bundled: " + resource, e);
        }
    }
}

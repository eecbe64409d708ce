// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.admin;

import io.sirocco.http.MimeTypes;
import io.sirocco.http.Response;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** The bundled files of the dashboard. Any thread. */
final class Resources {
    private Resources() {}

    /** Returns a bundled file as a response. */
    static Response page(String name) {
        try (InputStream in = Resources.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("the dashboard is not bundled: " + name);
            }
            return Response.bytes(in.readAllBytes()).contentType(MimeTypes.of(name));
        } catch (IOException e) {
            throw new UncheckedIOException("the dashboard cannot be read: " + name, e);
        }
    }
}

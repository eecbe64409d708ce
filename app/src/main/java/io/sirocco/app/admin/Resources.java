// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.admin;

import io.sirocco.http.MimeTypes;
import io.sirocco.http.Response;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The bundled files of the dashboard. Any thread. */
final class Resources {
    private static final Map<String, Response> READ = new ConcurrentHashMap<>();

    private Resources() {}

    /** Returns a bundled file as a response. */
    public static Response page(String name) {
        return page(Resources.class, name);
    }

    /** Returns a file that is bundled beside a class, which is read when it is first asked for. */
    public static Response page(Class<?> beside, String name) {
        return READ.computeIfAbsent(beside.getPackageName() + "/" + name, _ -> read(beside, name));
    }

    private static Response read(Class<?> beside, String name) {
        try (InputStream in = beside.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("the dashboard is not bundled: " + name);
            }
            return Response.bytes(in.readAllBytes()).contentType(MimeTypes.of(name));
        } catch (IOException e) {
            throw new UncheckedIOException("the dashboard cannot be read: " + name, e);
        }
    }
}

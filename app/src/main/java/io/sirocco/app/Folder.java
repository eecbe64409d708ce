// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.http.Handler;
import io.sirocco.http.HttpDate;
import io.sirocco.http.MimeTypes;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import java.io.File;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;

/**
 * The files below a directory, for a route that ends with {@code *}. What is not a file below it
 * does not exist: neither {@code ..} nor any other spelling, nor a symbolic link, leads outside.
 * Any thread.
 */
final class Folder implements Handler {
    /** A file up to this many bytes is one piece with its head. */
    private static final int SMALL = 64 << 10;

    private static final Response NOT_FOUND = Response.text("Not Found").status(404);
    private static final Response FORBIDDEN = Response.text("Forbidden").status(403);

    private final Path root;

    /** A symbolic link as {@code root} may be turned to another directory while it is served. */
    Folder(Path root) {
        this.root = root;
    }

    @Override
    public Response handle(Request request) throws IOException {
        String path = request.param("*"); // decoded once, by the router
        if (!plain(path)) return NOT_FOUND;
        boolean slash = path.isEmpty() || path.endsWith("/");
        try {
            Path base = root.toRealPath();
            Path named = base.resolve(path).toRealPath();
            if (!named.startsWith(base)) return NOT_FOUND;
            if (!Files.isDirectory(named)) return slash ? NOT_FOUND : file(named, request);
            if (!slash) return withSlash(request);
            Path index = named.resolve("index.html").toRealPath();
            return index.startsWith(base) ? file(index, request) : NOT_FOUND;
        } catch (AccessDeniedException e) {
            return FORBIDDEN;
        } catch (FileSystemException | InvalidPathException e) {
            return NOT_FOUND; // no such file, a loop of links, a name too long
        }
    }

    /** Whether all segments are names: none is empty, {@code .} or {@code ..}. */
    private static boolean plain(String path) {
        if (path.isEmpty()) return true;
        if (path.chars()
                .anyMatch(c -> c < ' ' || c == 0x7f || c == '\\' || c == ':' && windows())) {
            return false;
        }
        String names = path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
        for (String name : names.split("/", -1)) {
            if (name.isEmpty() || name.equals(".") || name.equals("..")) return false;
        }
        return true;
    }

    private static boolean windows() {
        return File.separatorChar == '\\';
    }

    /**
     * Relative links on an index page need the slash. All segments are names, so none is a host.
     */
    private static Response withSlash(Request request) {
        Optional<String> query = Optional.of(request.target()).filter(all -> all.contains("?"));
        String rest = query.map(all -> all.substring(all.indexOf('?'))).orElse("");
        return Response.redirect(request.path() + "/" + rest).status(301);
    }

    private static Response file(Path file, Request request) throws IOException {
        var attributes = Files.readAttributes(file, BasicFileAttributes.class);
        if (!attributes.isRegularFile()) return NOT_FOUND; // a pipe would be waited for
        if (!Files.isReadable(file)) return FORBIDDEN;
        long now = System.currentTimeMillis() / 1000;
        long changed = Math.clamp(attributes.lastModifiedTime().toMillis() / 1000, 0, now);
        Response found;
        if (fresh(request, changed, now)) {
            found = Response.empty(304);
        } else if (attributes.size() <= SMALL) {
            found = Response.bytes(Files.readAllBytes(file));
        } else {
            found = Response.file(file);
        }
        return found.type(MimeTypes.of(file.getFileName().toString()))
                .header("Last-Modified", HttpDate.format(changed))
                .header("X-Content-Type-Options", "nosniff");
    }

    /** RFC 9110 13.1.3: a date that cannot be read, and one beside If-None-Match, is ignored. */
    private static boolean fresh(Request request, long changed, long now) {
        if (request.header("If-None-Match").isPresent()) return false;
        return request.header("If-Modified-Since").stream()
                .flatMapToLong(text -> HttpDate.parse(text, now).stream())
                .anyMatch(since -> changed <= since);
    }
}

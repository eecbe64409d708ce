// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

import io.sirocco.http.Filter;
import io.sirocco.http.Handler;
import io.sirocco.http.Percent;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.Route;
import io.sirocco.net.RootDirectory;
import io.sirocco.net.TooManyOpenFilesException;
import io.sirocco.net.log.LazyLogger;
import io.sirocco.net.log.RepeatedFailures;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Serves the files of a directory as a web site: conditional requests and ranges (RFC 9110 13 and
 * 14), index pages, directory listings, precompressed files, compression, and a cache of the files
 * that are requested most. A handler for routes that end with {@code *}. Run it {@link
 * io.sirocco.http.ExecutionMode#INLINE}: responses from the cache are made on the loop, and
 * everything that reads the disk runs on other threads.
 *
 * <pre>{@code
 * FileServer files = FileServer.of(Path.of("public"), options -> options
 *     .cacheControl(List.of("*.css", "*.js"), "public, max-age=31536000, immutable"));
 * routes.route("GET", "/*", files).executionMode(ExecutionMode.INLINE);
 * }</pre>
 *
 * <p>Everything that is not a file below the directory does not exist (404): no spelling of a path
 * leads outside, and each file has one path. Do not change files in place while they are served;
 * rename a new file over the old one instead. Any thread.
 */
public final class FileServer implements Handler, AutoCloseable {
    private static final RepeatedFailures FAILURES =
            new RepeatedFailures(LazyLogger.of(FileServer.class), Level.WARNING);

    /** How often a file may be closed under our eyes before we give up. */
    private static final int TRIES = 4;

    /** The role of a file in a response. */
    private enum Role {
        /** The requested file. */
        ITSELF,
        /** The file that is sent instead of one that does not exist. */
        FALLBACK,
        /** The page of 404. */
        NOT_FOUND_PAGE
    }

    private final Settings settings;
    private final FileCache cache;
    private final Compressor compressor;
    private final Listing listing;

    private FileServer(Path root, FileOptions options) {
        settings = Settings.of(options);
        var loader = new Loader(RootDirectory.of(root, options.links), settings);
        cache = new FileCache(loader, settings);
        compressor = new Compressor(cache);
        listing = new Listing(loader.root(), settings.hidden());
    }

    /** Serves a directory, which need not exist yet, with the default options. */
    public static FileServer of(Path root) {
        return of(root, options -> {});
    }

    /**
     * Serves a directory, which need not exist yet.
     *
     * @throws IllegalArgumentException when an option is wrong
     */
    public static FileServer of(Path root, Consumer<FileOptions> options) {
        var chosen = new FileOptions();
        options.accept(chosen);
        return new FileServer(root, chosen);
    }

    /** Responds with the file that the wildcard of the route names. */
    @Override
    public Response handle(Request request) {
        return answer(request, request.param("*"), null, FileRules.NONE);
    }

    /**
     * Returns a handler for routes that end with {@code *}: it serves the file that a GET or HEAD
     * request names, and {@code other} responds to all other requests, a reverse proxy for example.
     * A directory counts as a file if it has an index page or is listed. {@link
     * FileOptions#fallback} and {@link FileOptions#notFound} do not apply.
     *
     * <pre>{@code
     * routes.any("/*", files.orElse(Proxy.to(app)));
     * }</pre>
     */
    public Handler orElse(Handler other) {
        return new Handler() {
            @Override
            public Response handle(Request request) throws Exception {
                return isRead(request)
                        ? answer(request, request.param("*"), other, FileRules.NONE)
                        : other.handle(request);
            }

            @Override
            public void configure(Route route) {
                other.configure(route);
            }
        };
    }

    private static boolean isRead(Request request) {
        String method = request.method();
        return method.equals("GET") || method.equals("HEAD");
    }

    /**
     * Responds with another file than the route names, for rewritten paths.
     *
     * @param path from the root on, decoded, with a slash before it: {@code /articles/7.html}
     */
    public Response serve(Request request, String path) {
        return serve(request, path, FileRules.NONE);
    }

    /**
     * Does the same, but serves another file than {@code path} only if the request passes {@code
     * rules}: the index page of a directory, the fallback, the page for 404. The caller applies the
     * rules of {@code path} itself.
     */
    public Response serve(Request request, String path, FileRules rules) {
        return answer(request, relative(path), null, rules);
    }

    /**
     * Does the same for GET and HEAD; {@code other} responds to other methods, and if no file
     * exists, as with {@link #orElse}.
     */
    public Response serve(Request request, String path, FileRules rules, Handler other)
            throws Exception {
        return isRead(request)
                ? answer(request, relative(path), other, rules)
                : other.handle(request);
    }

    private static String relative(String path) {
        if (!path.startsWith("/")) {
            throw new IllegalArgumentException(
                    "A path begins with a slash; write /" + path + " for " + path + ".");
        }
        return path.substring(1);
    }

    private Response answer(Request request, String path, Handler otherwise, FileRules rules) {
        if (!isRead(request)) {
            return request.methodNotAllowed("GET", "HEAD");
        }
        FileRequest asked = FileRequest.of(request, otherwise, rules);
        return FilePath.honest(asked.path())
                ? answer(asked, path, Role.ITSELF, 0)
                : absent(asked, Role.FALLBACK);
    }

    private Response answer(FileRequest asked, String path, Role role, int tries) {
        Entry known = cache.known(path);
        if (known != null) {
            return answer(asked, path, known, role, tries);
        }
        if (!FilePath.plain(path, settings.hidden() || role != Role.ITSELF)) {
            return absent(asked, Role.FALLBACK);
        }
        return look(asked, path, role, tries);
    }

    private Response look(FileRequest asked, String path, Role role, int tries) {
        return later(asked, cache.look(path, entry -> answer(asked, path, entry, role, tries + 1)));
    }

    private Response answer(FileRequest asked, String path, Entry entry, Role role, int tries) {
        if (entry instanceof FileEntry file) {
            return file(asked, path, file, role, tries);
        }
        return switch ((Entry.Nothing) entry) {
            case UNSLASHED -> unslashed(asked, path, role);
            case LISTED -> later(asked, cache.lookupThreads().ask(() -> listing.of(path, asked)));
            case FORBIDDEN -> asked.page(403);
            case MISSING -> absent(asked, role);
        };
    }

    /** Applies the rules of another path to a request; returns null if that path has none. */
    private static Response guarded(
            FileRequest asked, String other, Function<FileRequest, Response> answer) {
        if (asked.rules() == FileRules.NONE) {
            return null;
        }
        String path = "/" + other;
        Filter rules = asked.rules().of(path).orElse(null);
        if (rules == null) {
            return null;
        }
        Handler allowed = request -> answer.apply(asked.passed(path));
        return Response.asyncHandler(
                CompletableFuture.completedFuture(request -> rules.filter(request, allowed)));
    }

    private Response file(FileRequest asked, String path, FileEntry file, Role role, int tries) {
        if (role != Role.ITSELF || !file.path().equals(path)) {
            Response guarded =
                    guarded(asked, file.path(), passed -> file(passed, path, file, role, tries));
            if (guarded != null) {
                return guarded;
            }
        }
        Representation selected = file.select(asked);
        long now = settings.wallMillis().getAsLong();
        boolean page = role == Role.NOT_FOUND_PAGE;
        if (selected.store instanceof Store.Unmade
                && (page || !selected.answersWithoutBytes(asked, now))) {
            return compressed(asked, path, file, selected, role, tries);
        }
        Response response =
                page ? selected.page(404) : selected.answer(asked, settings.maxRanges(), now);
        if (response != null) {
            return response;
        }
        return tries < TRIES ? look(asked, path, role, tries) : busy(asked);
    }

    /** Compresses the file first, or responds with the plain file while the compressor is busy. */
    private Response compressed(
            FileRequest asked,
            String path,
            FileEntry file,
            Representation unmade,
            Role role,
            int tries) {
        return later(
                asked,
                compressor.compress(
                        path,
                        file,
                        unmade,
                        change -> {
                            if (change == null) {
                                return tries < TRIES ? look(asked, path, role, tries) : busy(asked);
                            }
                            return file(asked, path, change.apply(file), role, tries + 1);
                        }));
    }

    /**
     * Redirects to the path with a slash, which relative links on an index page need. A rewritten
     * path is not redirected: the client does not know the directory's path.
     */
    private Response unslashed(FileRequest asked, String path, Role role) {
        if (role != Role.ITSELF) {
            return asked.page(404);
        }
        String slashed = path + "/";
        Response guarded = guarded(asked, slashed, passed -> slashed(passed, slashed, role));
        return guarded == null ? slashed(asked, slashed, role) : guarded;
    }

    private Response slashed(FileRequest asked, String path, Role role) {
        return Percent.decode(asked.path() + "/").endsWith("/" + path)
                ? Response.redirect(withSlash(asked)).status(301)
                : answer(asked, path, role, 0);
    }

    /** Never begins with two slashes, which would name a host. */
    private static String withSlash(FileRequest asked) {
        int from = 0;
        while (asked.path().startsWith("//", from)) {
            from++;
        }
        return asked.path().substring(from) + "/" + asked.query();
    }

    private Response absent(FileRequest asked, Role role) {
        if (asked.otherwise() != null) {
            return Response.asyncHandler(CompletableFuture.completedFuture(asked.otherwise()));
        }
        if (role == Role.ITSELF && settings.fallback() != null) {
            return answer(asked, settings.fallback(), Role.FALLBACK, 0);
        }
        if (role != Role.NOT_FOUND_PAGE && settings.notFound() != null) {
            return answer(asked.plainly(), settings.notFound(), Role.NOT_FOUND_PAGE, 0);
        }
        return asked.page(404);
    }

    private static Response busy(FileRequest asked) {
        return asked.page(503).header("Retry-After", "1");
    }

    private static Response later(FileRequest asked, CompletableFuture<Response> work) {
        return Response.async(work.exceptionally(thrown -> failed(asked, thrown)));
    }

    private static Response failed(FileRequest asked, Throwable thrown) {
        Throwable why = thrown instanceof CompletionException ? thrown.getCause() : thrown;
        if (why instanceof Busy) return busy(asked);
        if (why instanceof TooManyOpenFilesException) {
            FAILURES.log("file", "a file was answered with 503: it cannot be opened", why);
            return busy(asked);
        }
        throw new CompletionException(thrown); // the disk failed: 500, and the log says why
    }

    /**
     * Compares each cached file with the disk before it is served again, whatever its age. Files
     * that have not changed stay in memory.
     */
    public void lookAgain() {
        cache.lookAgain();
    }

    /** Returns the bytes of memory that its cache holds, including those counted for open files. */
    public long cached() {
        return cache.bytes();
    }

    /** For tests. */
    FileCache cache() {
        return cache;
    }

    /**
     * Releases its memory and its files. Responses in progress are completed, and further requests
     * are served from the disk, so that a reload fails no request.
     */
    @Override
    public void close() {
        cache.close();
    }
}

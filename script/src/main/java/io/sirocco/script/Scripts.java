// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import io.sirocco.http.BadRequest;
import io.sirocco.http.Filter;
import io.sirocco.http.Handler;
import io.sirocco.http.Monitor;
import io.sirocco.http.Percent;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * A folder of scripts in JavaScript that respond to requests, or inspect and change what the next
 * handler responds.
 *
 * <pre>{@code
 * Scripts scripts = Scripts.of(Path.of("scripts"));
 * Server.start(8080, routes -> routes.filter(scripts).get("/*", files));
 * }</pre>
 *
 * <p>docs/scripts.md describes scripts. The filter also sees requests that no route matches. Close
 * it when its server has stopped. Any thread.
 */
public final class Scripts implements Filter, AutoCloseable {
    private static final Duration CLOSE = Duration.ofSeconds(5);

    private final ScriptPool pool;
    private final ScriptReloader reloader;

    private Scripts(Path root, ScriptOptions.Settings settings) throws IOException {
        pool = new ScriptPool(settings);
        reloader = new ScriptReloader(pool, new ScriptFolder(root));
        reloader.start();
    }

    /**
     * Returns the scripts of a folder, with the default options. They are loaded in the background;
     * requests to them wait.
     *
     * @throws IOException if the folder cannot be read
     */
    public static Scripts of(Path root) throws IOException {
        return of(root, options -> {});
    }

    /**
     * Returns the scripts of a folder.
     *
     * @throws IOException if the folder cannot be read
     */
    public static Scripts of(Path root, Consumer<ScriptOptions> configure) throws IOException {
        var options = new ScriptOptions();
        configure.accept(options);
        return new Scripts(root.toRealPath(), options.freeze());
    }

    /**
     * Returns a stage that completes when the first version of the scripts has been loaded, also if
     * some of them have failed; exceptionally if the engine cannot be started.
     */
    public CompletionStage<Void> ready() {
        return reloader.ready.minimalCompletionStage();
    }

    @Override
    public Response filter(Request request, Handler next) throws Exception {
        Version version = reloader.known();
        if (version.endpoints.isEmpty()) {
            return next.handle(request);
        }
        String path = canonical(request.path());
        if (version.find(path) < 0) {
            return next.handle(request);
        }
        var script = new ScriptRequest(pool, request, path, next);
        if (!pool.submit(script)) {
            return ScriptRequest.unavailable();
        }
        request.onDisconnect(script::disconnected);
        return script.await();
    }

    /** Returns whether nothing is kept of any request. For tests. */
    boolean isQuiet() {
        return pool.isQuiet();
    }

    /** Scripts respond to paths that no route matches. */
    @Override
    public boolean seesUnmatched() {
        return true;
    }

    /**
     * Returns the monitor that tells scripts when a response has ended, for {@code
     * responseCompleted}. Without it that function is not called.
     */
    public Monitor monitor() {
        return pool.completions;
    }

    /** Ends all contexts, after five seconds also those that are in use. */
    @Override
    public void close() {
        close(CLOSE);
    }

    /** Ends all contexts, those that are in use when their requests have ended or after a time. */
    public void close(Duration longest) {
        reloader.close();
        pool.close(longest);
    }

    /**
     * Returns a path as the names of files are compared with it: decoded once, with single slashes.
     */
    private static String canonical(String path) {
        String decoded = path.indexOf('%') < 0 ? path : Percent.decode(path);
        if (decoded.indexOf('\\') >= 0) {
            decoded = decoded.replace('\\', '/');
        }
        while (decoded.contains("//")) {
            decoded = decoded.replace("//", "/");
        }
        for (int dot = decoded.indexOf("/."); dot >= 0; dot = decoded.indexOf("/.", dot + 1)) {
            int end = decoded.indexOf('/', dot + 1);
            String segment = decoded.substring(dot + 1, end < 0 ? decoded.length() : end);
            if (segment.equals(".") || segment.equals("..")) {
                throw new BadRequest("The path has a segment '.' or '..'.");
            }
        }
        return decoded;
    }
}

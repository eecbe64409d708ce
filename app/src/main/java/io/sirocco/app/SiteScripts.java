// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.app.config.ConfigError;
import io.sirocco.app.config.Configuration;
import io.sirocco.app.config.Script;
import io.sirocco.app.script.OpenScripts;
import io.sirocco.app.script.ScriptLibraries;
import io.sirocco.http.Filter;
import io.sirocco.http.Monitor;
import io.sirocco.http.Server;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The scripts of a configuration. A reload keeps those whose options are unchanged, with what they
 * have stored. Used by one thread, then frozen.
 */
final class SiteScripts implements AutoCloseable {
    /** A request that was routed before a reload reaches its scripts within this time. */
    private static final Duration ROUTED = Duration.ofMillis(500);

    /** The longest time that a reload waits for the engine, beyond the timeout of the scripts. */
    private static final Duration LOAD = Duration.ofSeconds(20);

    private static final Duration CLOSE = Duration.ofSeconds(5);

    private final Map<Script, OpenScripts> all = new LinkedHashMap<>();

    private SiteScripts() {}

    /**
     * Opens the scripts of all routes.
     *
     * @param before those whose folders are kept
     * @param running the server of a reload, which waits until they are loaded
     * @throws ConfigError if a folder cannot be read, or the libraries are not installed
     */
    static SiteScripts open(
            Configuration configuration,
            Upstreams upstreams,
            Optional<SiteScripts> before,
            Optional<Server> running) {
        var scripts = new SiteScripts();
        for (int i = 0; i < configuration.sites().size(); i++) {
            var routes = configuration.sites().get(i).routes();
            for (int j = 0; j < routes.size(); j++) {
                if (routes.get(j).script().isEmpty()) continue;
                try {
                    scripts.add(routes.get(j).script().get(), upstreams, before, running);
                } catch (IllegalArgumentException e) {
                    scripts.closeExcept(before.orElseGet(SiteScripts::new), Duration.ZERO);
                    throw new ConfigError(e, "site", i, "route", j, "script");
                }
            }
        }
        return scripts;
    }

    private void add(
            Script script,
            Upstreams upstreams,
            Optional<SiteScripts> before,
            Optional<Server> running) {
        if (all.containsKey(script)) return;
        OpenScripts kept = before.map(old -> old.all.get(script)).orElse(null);
        if (kept != null) {
            all.put(script, kept);
            return;
        }
        OpenScripts opened = open(script, upstreams);
        all.put(script, opened);
        running.ifPresent(
                server -> {
                    opened.activate(server, upstreams.byName());
                    awaitLoaded(opened, script.setupTimeout().plus(LOAD));
                });
    }

    /** Waits, so that no request has to. */
    private static void awaitLoaded(OpenScripts scripts, Duration longest) {
        try {
            scripts.ready().toCompletableFuture().get(longest.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // which the log says, or will say; requests to these scripts get 503
        }
    }

    private static OpenScripts open(Script script, Upstreams upstreams) {
        try {
            return ScriptLibraries.opener().open(script, upstreams.byName());
        } catch (IOException e) {
            throw new IllegalArgumentException("the scripts cannot be read: " + e.getMessage(), e);
        }
    }

    /** Returns the filter of a route. */
    Filter of(Script script) {
        return all.get(script).filter();
    }

    /** Returns the monitors that tell scripts of completed responses. */
    List<Monitor> monitors() {
        return all.values().stream().map(OpenScripts::monitor).toList();
    }

    /** Completes a start or a reload: scripts reach the upstreams of this configuration. */
    void activate(Server server, Upstreams upstreams) {
        all.values().forEach(scripts -> scripts.activate(server, upstreams.byName()));
    }

    /**
     * Closes the scripts that {@code next} does not use, when their requests have ended.
     *
     * @param longest after which requests are cut off
     */
    void closeExcept(SiteScripts next, Duration longest) {
        for (OpenScripts scripts : all.values()) {
            if (next.all.containsValue(scripts)) continue;
            Thread.ofVirtual()
                    .name("sirocco-script-close")
                    .start(() -> closeUnrouted(scripts, longest));
        }
    }

    /** Closes all of them, when their requests have ended. */
    void closeAll(Duration longest) {
        closeExcept(new SiteScripts(), longest);
    }

    private static void closeUnrouted(OpenScripts scripts, Duration longest) {
        try {
            Thread.sleep(ROUTED);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        scripts.close(longest);
    }

    /** Closes all of them. */
    @Override
    public void close() {
        all.values().forEach(scripts -> scripts.close(CLOSE));
    }
}

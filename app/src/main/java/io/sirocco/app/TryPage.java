// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.http.Response;
import io.sirocco.http.Routes;
import tools.jackson.databind.json.JsonMapper;

/**
 * The page of a channel server without sites: a client to try the channels. It has no more rights
 * than other clients. Any thread.
 */
final class TryPage {
    private TryPage() {}

    static void addTo(Routes routes, io.sirocco.app.config.Live live) {
        add(routes, "/", "live/try.html", "text/html; charset=utf-8");
        add(routes, "/try.css", "live/try.css", "text/css; charset=utf-8");
        add(routes, "/dashboard.css", "admin/dashboard.css", "text/css; charset=utf-8");
        add(routes, "/live.css", "admin/live.css", "text/css; charset=utf-8");
        add(routes, "/try.js", "live/try.js", "text/javascript; charset=utf-8");
        add(routes, "/socket.js", "live/socket.js", "text/javascript; charset=utf-8");
        add(routes, "/icon.svg", "welcome/icon.svg", "image/svg+xml");
        String settings = JsonMapper.shared().writeValueAsString(new Settings(live.path()));
        routes.get(
                "/try.json",
                request -> Response.json(settings).header("Cache-Control", "no-cache"));
    }

    private record Settings(String path) {}

    private static void add(Routes routes, String path, String name, String type) {
        routes.get(path, new Page(name, type));
    }
}

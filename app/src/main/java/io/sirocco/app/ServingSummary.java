// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.app.admin.Admin;
import io.sirocco.app.config.Proxy;
import io.sirocco.app.config.Route;
import io.sirocco.app.config.Site;
import io.sirocco.http.Server;
import io.sirocco.net.limit.Ip;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What a running server serves, and where, as text for users. Any thread. */
record ServingSummary(Server server, Assembly assembly, Optional<Channels> channels) {

    /** Returns the line for the user: what is served, and where. */
    @Override
    public String toString() {
        int loops = server.stats().size();
        return "Sirocco serves %s on %s (%s, %s)"
                .formatted(
                        what(),
                        addresses(),
                        server.transport().label(),
                        loops == 1 ? "1 loop" : loops + " loops");
    }

    /** Returns the URLs for operators, to be added to the line. */
    String pages(Optional<Admin> admin) {
        if (admin.isEmpty()) return "";
        String url = "http://" + Ip.text(admin.get().address());
        return "; admin: " + url + (channels.isEmpty() ? "" : ", console: " + url + "/live");
    }

    private String what() {
        return channels.map(all -> "channels at " + all.path() + besides()).orElseGet(this::sites);
    }

    private String besides() {
        return assembly.configuration().sites().isEmpty() ? "" : " and " + sites();
    }

    private String sites() {
        var sites = assembly.configuration().sites();
        return switch (sites.size()) {
            case 0 -> "the welcome site";
            case 1 -> summary(sites.getFirst());
            default -> sites.size() + " sites";
        };
    }

    /** Returns the directory of a site, or which paths one without files forwards. */
    private static String summary(Site site) {
        Optional<Path> root = site.files().root();
        if (root.isPresent()) {
            return root.get().toString();
        }
        List<String> paths =
                site.routes().stream()
                        .filter(route -> route.action() instanceof Proxy)
                        .map(Route::path)
                        .toList();
        return paths.isEmpty() ? "one site" : "a proxy for " + String.join(", ", paths);
    }

    private String addresses() {
        return String.join(", ", urls());
    }

    /** Returns the URLs that the server listens on, in its order. */
    List<String> urls() {
        List<Boolean> secured = assembly.secured();
        List<SocketAddress> bound = server.addresses();
        var urls = new ArrayList<String>();
        for (int i = 0; i < bound.size(); i++) {
            boolean tls = i < secured.size() && secured.get(i);
            urls.add(
                    bound.get(i) instanceof UnixDomainSocketAddress unix
                            ? "unix:" + unix.getPath()
                            : (tls ? "https://" : "http://") + Ip.text(bound.get(i)));
        }
        return urls;
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.admin;

import io.sirocco.http.Params;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.Routes;
import io.sirocco.http.client.HttpOrigin;
import io.sirocco.web.access.Networks;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Registers servers with an upstream, and removes them.
 *
 * <pre>
 * POST or PUT /upstreams/{name}        a heartbeat; the first one registers the server
 * {"url": "http://10.0.0.5:8080"}      or {"port": 8080} at the address of this connection
 *
 * {"url": "http://10.0.0.5:8080", "ttl": 4.5}                  201 the first time, then 200
 * {"error": {"code": "forbidden_address", "message": "..."}}   otherwise
 *
 * DELETE /upstreams/{name}?url=...     or ?port=8080; 204, also for a server that is not there
 * </pre>
 *
 * <p>A server names an IP address: its own, or one of the networks that the configuration lists. So
 * that the balancer cannot be sent to its own machine's other services, loopback and link-local
 * addresses are only for servers that connect from them, and the other addresses of this machine
 * only for servers that run on it. Any thread.
 */
final class RegistrationApi {
    private static final Set<String> KEYS = Set.of("url", "port", "scheme", "weight", "ttl");

    private final Registrations registrations;

    RegistrationApi(Registrations registrations) {
        this.registrations = registrations;
    }

    void addTo(Routes routes) {
        routes.post("/upstreams/{name}", this::register);
        routes.put("/upstreams/{name}", this::register);
        routes.delete("/upstreams/{name}", this::remove);
    }

    private Response register(Request request) throws IOException {
        try {
            Registrations.Target target = target(request);
            JsonBody body = JsonBody.read(request, KEYS);
            String url =
                    url(
                            request,
                            target,
                            body.text("url"),
                            body.whole("port", 0, 1, 65_535),
                            body.text("scheme").orElse("http"));
            int weight = body.whole("weight", 1, 1, 1000);
            Duration ttl = ttl(body);
            String pool = target.upstream().name();
            Registrations.Result result = registrations.put(pool, url, weight, ttl);
            return switch (result) {
                case JOINED, KEPT ->
                        Response.json(
                                        JsonMapper.shared()
                                                .writeValueAsString(
                                                        Map.of(
                                                                "url",
                                                                url,
                                                                "ttl",
                                                                ttl.toMillis() / 1e3)))
                                .status(result == Registrations.Result.JOINED ? 201 : 200);
                case FIXED ->
                        throw new Refused(
                                409,
                                "fixed_server",
                                url + " is one of \"servers\" in the configuration");
                case FULL ->
                        throw new Refused(
                                503,
                                "too_many_servers",
                                "%d servers have joined \"%s\", which is max-registered"
                                        .formatted(target.most(), pool));
                case UNKNOWN -> throw unknown(pool); // since a reload
            };
        } catch (Refused e) {
            return e.response();
        }
    }

    private Response remove(Request request) {
        try {
            Registrations.Target target = target(request);
            Params query = request.query();
            String port = query.first("port").orElse("0");
            if (!port.matches("\\d{1,5}")) {
                throw JsonBody.bad("\"port\" must be 1 to 65535");
            }
            String url =
                    url(
                            request,
                            target,
                            query.first("url"),
                            Integer.parseInt(port),
                            query.first("scheme").orElse("http"));
            registrations.remove(target.upstream().name(), url);
            return Response.empty(204);
        } catch (Refused e) {
            return e.response();
        }
    }

    private Registrations.Target target(Request request) throws Refused {
        String pool = request.param("name");
        return registrations.target(pool).orElseThrow(() -> unknown(pool));
    }

    private static Refused unknown(String pool) {
        return new Refused(
                404,
                "unknown_upstream",
                "no [[upstream]] with registration = true that a route forwards to has the name \""
                        + pool
                        + "\"");
    }

    // ---- the body

    private static Duration ttl(JsonBody body) throws Refused {
        JsonNode node = body.get("ttl");
        double longest = Registrations.LONGEST_TTL.toMillis() / 1e3;
        double seconds = node.isNumber() ? node.doubleValue() : longest;
        if ((!node.isMissingNode() && !node.isNumber()) || !(seconds >= 1 && seconds <= longest)) {
            throw JsonBody.bad("\"ttl\" must be 1 to " + longest + " seconds");
        }
        return Duration.ofMillis((long) (1e3 * seconds));
    }

    // ---- the address

    /** Returns the URL with an IP address that this client may register. */
    private static String url(
            Request request,
            Registrations.Target target,
            Optional<String> url,
            int port,
            String scheme)
            throws Refused {
        if (url.isPresent() == (port > 0)) {
            throw JsonBody.bad("exactly one of \"url\" and \"port\" is required");
        }
        InetAddress own = ((InetSocketAddress) request.peerAddress()).getAddress();
        if (port > 0) {
            if (!scheme.matches("https?") || port > 65_535) {
                throw JsonBody.bad("\"scheme\" must be http or https, and \"port\" 1 to 65535");
            }
            return url(scheme.equals("https"), own, port);
        }
        HttpOrigin origin = origin(url.get());
        InetAddress address = literal(origin.host());
        if (!mayRegister(own, address, target.networks())) {
            throw new Refused(
                    403,
                    "forbidden_address",
                    "%s is neither the address of this connection, %s, nor in registration-networks"
                            .formatted(origin.host(), own.getHostAddress()));
        }
        return url(origin.secure(), address, origin.port());
    }

    /**
     * Returns whether a server may register an address.
     *
     * @param own the address that the server connects from
     * @param networks of addresses that it may register besides
     */
    static boolean mayRegister(InetAddress own, InetAddress address, Networks networks) {
        if (address.equals(own)) {
            return true;
        }
        boolean local =
                address.isLoopbackAddress()
                        || address.isLinkLocalAddress()
                        || address.isAnyLocalAddress()
                        || address.isMulticastAddress();
        return !local
                && networks.contains(new InetSocketAddress(address, 0))
                && (isOfThisMachine(own) || !isOfThisMachine(address));
    }

    private static boolean isOfThisMachine(InetAddress address) {
        try {
            return address.isLoopbackAddress()
                    || NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException e) {
            return false;
        }
    }

    private static String url(boolean secure, InetAddress address, int port) {
        String host = address.getHostAddress().replaceFirst("%.*", ""); // without the interface
        String shown = host.contains(":") ? "[" + host + "]" : host;
        return new HttpOrigin(secure, shown, port, Optional.empty()).toString();
    }

    private static HttpOrigin origin(String url) throws Refused {
        if (!url.matches("https?://[^/?#@\\s]+/?")) {
            throw JsonBody.bad("\"url\" must be http://ADDRESS:PORT or https://ADDRESS:PORT");
        }
        try {
            return HttpOrigin.of(url);
        } catch (IllegalArgumentException e) {
            throw JsonBody.bad("\"url\": " + e.getMessage());
        }
    }

    private static InetAddress literal(String host) throws Refused {
        try {
            String bare = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
            return InetAddress.ofLiteral(bare);
        } catch (IllegalArgumentException e) {
            throw JsonBody.bad("\"url\" must have an IP address, not the name " + host);
        }
    }
}

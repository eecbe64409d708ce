// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import io.sirocco.http.Headers;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.client.ClientRequest;
import io.sirocco.http.client.ClientResponse;
import io.sirocco.http.client.HttpClient;
import io.sirocco.http.client.HttpClientException;
import io.sirocco.http.client.HttpOrigin;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** Upstreams that an HTTP client reaches: one server for each name, no retries. Any thread. */
final class ClientUpstreams implements Upstreams {
    /** Headers that apply to one connection (RFC 9110 7.6.1), or that the client sets. */
    private static final Set<String> HOP_BY_HOP =
            Set.of(
                    "connection",
                    "content-length",
                    "expect",
                    "http2-settings",
                    "keep-alive",
                    "proxy-authenticate",
                    "proxy-authorization",
                    "proxy-connection",
                    "te",
                    "trailer",
                    "transfer-encoding",
                    "upgrade");

    private final HttpClient client;
    private final Map<String, HttpOrigin> origins = new HashMap<>();

    ClientUpstreams(HttpClient client, Map<String, String> origins) {
        this.client = client;
        origins.forEach((name, url) -> this.origins.put(name, HttpOrigin.of(url)));
    }

    @Override
    public boolean has(String name) {
        return origins.containsKey(name);
    }

    private HttpOrigin origin(String upstream) {
        HttpOrigin known = origins.get(upstream);
        return known != null ? known : HttpOrigin.of(upstream);
    }

    private ClientRequest request(String method, String upstream, String target, Headers headers) {
        HttpOrigin origin = origin(upstream);
        String url = (origin.secure() ? "https://" : "http://") + origin.authority();
        return ClientRequest.of(method, url).via(origin).target(target).headers(headers);
    }

    @Override
    public Response forward(Request request, Forward to) {
        Headers headers = endToEnd(to.headers()).without("Host").with("Via", "1.1 sirocco");
        ClientRequest sent = request(request.method(), to.upstream(), to.target(), headers);
        OptionalLong length = request.body().length();
        if (length.isEmpty()) {
            sent = sent.body(request.body()::next);
        } else if (length.getAsLong() > 0) {
            sent = sent.body(length.getAsLong(), request.body()::next);
        }
        CompletableFuture<ClientResponse> response = client.sendAsync(sent);
        request.onDisconnect(() -> response.cancel(true));
        return Response.async(
                response.handle(
                        (known, thrown) -> {
                            if (thrown == null) {
                                return response(request.method(), known);
                            }
                            return Response.text("The upstream did not respond.\n")
                                    .status(timedOut(thrown) ? 504 : 502);
                        }));
    }

    private static Response response(String method, ClientResponse known) {
        OptionalLong length = known.body().length();
        boolean none = known.status() == 204 || known.status() == 304 || method.equals("HEAD");
        int status = Math.clamp(known.status(), 200, 599);
        Headers headers = endToEnd(known.headers()).with("Via", "1.1 sirocco");
        if (none) {
            known.close();
            return Response.forwarded(status, headers, new byte[0]);
        }
        return Response.forwarded(status, headers, length.orElse(-1), known.body().source());
    }

    private static boolean timedOut(Throwable thrown) {
        Throwable cause = thrown instanceof CompletionException ? thrown.getCause() : thrown;
        return cause instanceof HttpClientException e && e.reason().name().contains("TIMEOUT");
    }

    private static Headers endToEnd(Headers all) {
        Set<String> dropped = new HashSet<>(HOP_BY_HOP);
        for (String list : all.all("Connection")) {
            for (String name : list.split(",")) {
                dropped.add(name.strip().toLowerCase(Locale.ROOT));
            }
        }
        var kept = new java.util.ArrayList<String>();
        all.forEach(
                (name, value) -> {
                    if (!dropped.contains(name.toLowerCase(Locale.ROOT))) {
                        kept.add(name);
                        kept.add(value);
                    }
                });
        return Headers.of(kept.toArray(String[]::new));
    }

    @Override
    public CompletionStage<Fetched> fetch(Fetch fetch) {
        ClientRequest sent =
                request(fetch.method(), fetch.upstream(), fetch.target(), endToEnd(fetch.headers()))
                        .timeout(fetch.timeout());
        if (fetch.body().length > 0) {
            sent = sent.body(fetch.body());
        }
        return client.sendAsync(sent)
                .thenCompose(
                        response ->
                                response.body()
                                        .bytesAsync(fetch.maxBodyBytes())
                                        .thenApply(
                                                body ->
                                                        new Fetched(
                                                                response.status(),
                                                                response.headers(),
                                                                body)));
    }
}

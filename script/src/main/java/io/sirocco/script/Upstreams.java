// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import io.sirocco.http.Headers;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.client.HttpClient;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The servers that scripts can reach, by name. Forwarding passes the client's request on, {@code
 * fetch} sends a request of the script. Any thread.
 */
public interface Upstreams {
    /** No upstreams. The default. */
    Upstreams NONE =
            new Upstreams() {
                @Override
                public boolean has(String name) {
                    return false;
                }

                @Override
                public Response forward(Request request, Forward to) {
                    throw new IllegalArgumentException("There is no upstream " + to.upstream());
                }

                @Override
                public CompletionStage<Fetched> fetch(Fetch fetch) {
                    return CompletableFuture.failedFuture(
                            new IllegalArgumentException("no upstream " + fetch.upstream()));
                }
            };

    /**
     * Returns upstreams that are reached by an HTTP client.
     *
     * @param origins the URL of each upstream by its name, such as {@code http://10.0.0.1:8080}
     * @throws IllegalArgumentException if a URL is invalid
     */
    static Upstreams of(HttpClient client, Map<String, String> origins) {
        return new ClientUpstreams(client, origins);
    }

    /** Returns whether there is an upstream of this name. Must not block. */
    boolean has(String name);

    /**
     * Forwards the request of a client. Called where the handlers of its route run.
     *
     * @throws Exception to respond with 500; the exception is logged and its text never sent
     */
    Response forward(Request request, Forward to) throws Exception;

    /** Sends a request of a script. Must not block. */
    CompletionStage<Fetched> fetch(Fetch fetch);

    /**
     * Where a request is forwarded. Immutable.
     *
     * @param upstream the name of the upstream, or an origin such as {@code http://10.0.0.1:8080}
     *     where {@link ScriptOptions#anyUpstream} allows it
     * @param target the path and the query
     * @param headers the headers of the client as the script has left them, including those that
     *     apply to the client's connection only
     */
    record Forward(String upstream, String target, Headers headers) {}

    /**
     * A request of a script. Immutable.
     *
     * @param upstream as in {@link Forward}
     * @param method the method
     * @param target the path and the query
     * @param headers the headers
     * @param body the body, empty for none
     * @param timeout the longest time until the whole response has arrived
     * @param maxBodyBytes the length of the response body above which it is an error
     */
    record Fetch(
            String upstream,
            String method,
            String target,
            Headers headers,
            byte[] body,
            Duration timeout,
            int maxBodyBytes) {}

    /**
     * The response to a request of a script. Immutable.
     *
     * @param status the status
     * @param headers the headers
     * @param body the whole body
     */
    record Fetched(int status, Headers headers, byte[] body) {}
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.compress;

import io.sirocco.http.Filter;
import io.sirocco.http.Handler;
import io.sirocco.http.Headers;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Compresses responses while they are sent, if the client accepts it and it pays: text media types,
 * from a certain size on. A stream is compressed as it flows, and flushed bytes are sent at once.
 * Not compressed are server-sent events, responses with a content coding, a range, or no content,
 * and those with {@code Cache-Control: no-transform} (RFC 9110 7.7). The entity tag becomes a weak
 * one, since compressing twice need not yield the same bytes (8.8.1).
 *
 * <p>A page that contains both a secret and something that the client has sent reveals the secret
 * bit by bit to an attacker who can make the client send requests and see the length of responses
 * (BREACH). Do not compress such pages, or mask their secrets differently each time. Any thread.
 */
public final class Compression implements Filter {
    private final List<Coding> codings;
    private final long from;
    private final TypeList types;

    private Compression(CompressionOptions options) {
        codings = options.codings;
        from = options.from;
        types = options.types;
    }

    /** With the default options. */
    public static Compression of() {
        return of(options -> {});
    }

    /**
     * With these options.
     *
     * @throws IllegalArgumentException when one of them is wrong
     */
    public static Compression of(Consumer<CompressionOptions> options) {
        var chosen = new CompressionOptions();
        options.accept(chosen);
        return new Compression(chosen);
    }

    @Override
    public Response filter(Request request, Handler next) throws Exception {
        String accepted = request.headerList("Accept-Encoding").orElse(null);
        return next.handle(request).map(response -> compressed(response, accepted));
    }

    private Response compressed(Response response, String accepted) {
        Headers headers = response.headers();
        if (!concerned(response, headers)) {
            return response;
        }
        Headers varied = varied(headers);
        Optional<Coding> best = AcceptEncoding.of(accepted).best(codings);
        while (best.isPresent() && !best.get().available()) {
            List<Coding> others = codings.stream().filter(c -> !c.ruledOut()).toList();
            best = AcceptEncoding.of(accepted).best(others);
        }
        if (best.isEmpty()) {
            return response.headers(varied);
        }
        Coding coding = best.get();
        Headers changed = varied.set("Content-Encoding", coding.token()).without("Accept-Ranges");
        Optional<String> tag = changed.first("ETag").filter(value -> value.startsWith("\""));
        if (tag.isPresent()) {
            changed = changed.set("ETag", "W/" + tag.get());
        }
        return response.headers(changed).transformBody(out -> new Yielding(coding.stream(out)));
    }

    /** Returns whether another client might get it compressed. */
    private boolean concerned(Response response, Headers headers) {
        int status = response.status();
        if (status == 204 || status == 205 || status == 206 || status == 304) {
            return false;
        }
        if (headers.has("Content-Encoding") || headers.has("Content-Range")) {
            return false;
        }
        String type = headers.first("Content-Type").orElse("");
        return types.has(type)
                && !type.toLowerCase(Locale.ROOT).startsWith("text/event-stream")
                && response.length().orElse(Long.MAX_VALUE) >= Math.max(1, from)
                && !noTransform(headers);
    }

    private static boolean noTransform(Headers headers) {
        for (String value : headers.all("Cache-Control")) {
            if (value.toLowerCase(Locale.ROOT).contains("no-transform")) {
                return true;
            }
        }
        return false;
    }

    /** RFC 9110 12.5.5. */
    private static Headers varied(Headers headers) {
        String all = String.join(", ", headers.all("Vary"));
        if (all.contains("*") || all.toLowerCase(Locale.ROOT).contains("accept-encoding")) {
            return headers;
        }
        return headers.set("Vary", all.isEmpty() ? "Accept-Encoding" : all + ", Accept-Encoding");
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.object;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.home.lua.ScriptThread.Scheduled;
import io.sirocco.home.lua.TaskCause;
import io.sirocco.http.Headers;
import io.sirocco.http.MediaType;
import io.sirocco.http.client.ClientRequest;
import io.sirocco.http.client.ClientResponse;
import io.sirocco.http.client.HttpClient;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;

/**
 * A request to an HTTP server, class 121.
 *
 * <table>
 * <caption>Interface</caption>
 * <tr><td>features</td><td>0 Host: {@code 10.0.0.5:8080}, with a scheme for another than http; 1 Path, 2 Query:
 *     a string or a table, 3 Method (GET), 4 Timeout: s for the whole response, to 600 (10), 5
 *     RequestType, 7 RequestHeaders: a table, or lines {@code Name: value}; 8 RequestBody; 6
 *     ResponseType: one that a script has set, 1 to 4, decides how responses are read, and JSON and
 *     XML are asked for by {@code Accept}; otherwise Content-Type decides; after a response, its type; 9 ResponseHeaders,
 *     10 ResponseBody, 11 StatusCode: 0 if there was no response; 12 Active. {@link HttpBody}
 *     describes types and bodies</td></tr>
 * <tr><td>methods</td><td>0 SendRequest: aborts the one before; 1 AbortRequest: no event follows; 2
 *     Clear: aborts, and forgets all features</td></tr>
 * <tr><td>events</td><td>0 OnRequestSent, 1 OnResponse: also when there was none: the log says why
 *     </td></tr>
 * </table>
 *
 * <p>GET and HEAD send no body. A response may have 1 MiB. A body that is not of its type is a
 * string. Used by one thread, that of the scripts.
 */
final class HttpRequest extends StandardObject {
    private static final int HOST = 0;
    private static final int PATH = 1;
    private static final int QUERY = 2;
    private static final int METHOD = 3;
    private static final int TIMEOUT = 4;
    private static final int REQUEST_TYPE = 5;
    private static final int RESPONSE_TYPE = 6;
    private static final int REQUEST_HEADERS = 7;
    private static final int REQUEST_BODY = 8;
    private static final int RESPONSE_HEADERS = 9;
    private static final int RESPONSE_BODY = 10;
    private static final int STATUS_CODE = 11;
    private static final int ACTIVE = 12;
    private static final int SEND_REQUEST = 0;
    private static final int ABORT_REQUEST = 1;
    private static final int CLEAR = 2;
    private static final int ON_REQUEST_SENT = 0;
    private static final int ON_RESPONSE = 1;
    private static final double DEFAULT_TIMEOUT = 10;
    private static final double MAX_TIMEOUT = 600;
    private static final Duration BUSY = Duration.ofMillis(100); // the scripts are tried again

    private static final Executor PARSER =
            task -> Thread.ofVirtual().name("sirocco-home-parse").start(task);

    private final Supplier<HttpClient> client;
    private CompletableFuture<ClientResponse> sent = CompletableFuture.completedFuture(null);
    private volatile CompletableFuture<?> active; // of the parsed response; null for none
    private Scheduled retry = () -> {};
    private LuaValue wanted = LuaValue.NIL; // ResponseType as a script has set it

    /** A whole response. */
    private record Received(int status, Headers headers, Optional<MediaType> type, byte[] body) {}

    /** A response as features 6, 9, 10 and 11. */
    private record Parsed(LuaValue type, LuaValue headers, LuaValue body, LuaValue status) {}

    HttpRequest(String name, ObjectContext context, Supplier<HttpClient> client) {
        super(name, context);
        this.client = client;
        clear();
    }

    private void clear() {
        for (int index = HOST; index <= STATUS_CODE; index++) {
            super.set(index, LuaValue.NIL);
        }
        wanted = LuaValue.NIL;
        super.set(METHOD, LuaValue.valueOf("GET"));
        super.set(TIMEOUT, LuaValue.valueOf(DEFAULT_TIMEOUT));
        super.set(STATUS_CODE, LuaValue.ZERO);
    }

    @Override
    public LuaValue get(int index) {
        return index == ACTIVE ? bit(active != null) : super.get(index);
    }

    @Override
    public void set(int index, LuaValue value) {
        switch (index) {
            case ACTIVE -> readOnly("Active");
            case RESPONSE_TYPE -> {
                wanted = value;
                super.set(index, value);
            }
            case TIMEOUT ->
                    super.set(
                            index,
                            LuaValue.valueOf(
                                    number(
                                            "Timeout",
                                            value,
                                            0.001,
                                            MAX_TIMEOUT,
                                            get(TIMEOUT).todouble())));
            default -> super.set(index, value);
        }
    }

    @Override
    public Varargs execute(int method, Varargs arguments) {
        switch (method) {
            case SEND_REQUEST -> send();
            case ABORT_REQUEST -> abort();
            case CLEAR -> {
                abort();
                clear();
            }
            default -> {
                return super.execute(method, arguments);
            }
        }
        return LuaValue.NIL;
    }

    private void abort() {
        if (active != null) {
            CompletableFuture<?> aborted = active;
            active = null;
            retry.cancel();
            sent.cancel(true);
            aborted.cancel(true);
        }
    }

    private void send() {
        abort();
        ClientRequest request;
        try {
            request = request();
        } catch (LuaError | IllegalArgumentException e) {
            throw new LuaError(name() + ":SendRequest: " + e.getMessage());
        }
        sent = client.get().sendAsync(request);
        LuaValue type = wanted;
        CompletableFuture<Parsed> parsed =
                sent.thenCompose(HttpRequest::whole)
                        .thenApplyAsync(received -> parse(received, type), PARSER);
        active = parsed;
        fire(ON_REQUEST_SENT);
        Runnable end = TaskCause.inherit(() -> end(parsed, request));
        parsed.whenCompleteAsync((response, failure) -> handOver(parsed, end), PARSER);
    }

    /** Gives a response to the thread of the scripts; tries again while that takes no more. */
    private void handOver(CompletableFuture<Parsed> parsed, Runnable end) {
        while (active == parsed && !context().scripts().execute(name() + " response", end)) {
            LockSupport.parkNanos(BUSY.toNanos()); // an abort or a reset ends it
        }
    }

    private static CompletableFuture<Received> whole(ClientResponse response) {
        Optional<MediaType> type = response.header("Content-Type").flatMap(MediaType::parse);
        return response.body()
                .bytesAsync(HttpBody.MAX_BYTES)
                .thenApply(body -> new Received(response.status(), response.headers(), type, body));
    }

    private ClientRequest request() {
        String method = text(METHOD).toUpperCase(Locale.ROOT);
        LuaValue query = get(QUERY);
        String parameters =
                query instanceof LuaTable table ? HttpBody.form(table) : encoded(text(QUERY));
        String path = encoded(text(PATH));
        String host = text(HOST).strip();
        String url =
                (host.isEmpty() || host.contains("://") ? "" : "http://")
                        + (host.endsWith("/") ? host.substring(0, host.length() - 1) : host)
                        + (path.startsWith("/") ? "" : "/")
                        + path
                        + (parameters.isEmpty() || parameters.startsWith("?") ? "" : "?")
                        + parameters;
        ClientRequest request =
                ClientRequest.of(method, url)
                        .timeout(Duration.ofMillis((long) (get(TIMEOUT).todouble() * 1_000)));
        LuaValue body = get(REQUEST_BODY);
        HttpBody type =
                HttpBody.of(get(REQUEST_TYPE))
                        .orElse(
                                body.isnil()
                                        ? HttpBody.NONE
                                        : body instanceof LuaTable ? HttpBody.JSON : HttpBody.TEXT);
        var headers = new Headers[] {Headers.none()};
        HttpHeaders.forEach(
                get(REQUEST_HEADERS),
                (header, value) -> headers[0] = headers[0].set(header, value));
        boolean hasBody = type != HttpBody.NONE && !method.equals("GET") && !method.equals("HEAD");
        if (hasBody && !type.contentType().isEmpty() && !headers[0].has("Content-Type")) {
            headers[0] = headers[0].set("Content-Type", type.contentType());
        }
        if (!headers[0].has("Accept")) {
            Optional<HttpBody> expected = HttpBody.of(wanted);
            if (expected.equals(Optional.of(HttpBody.JSON))
                    || expected.equals(Optional.of(HttpBody.XML))) {
                headers[0] = headers[0].set("Accept", expected.get().contentType());
            }
        }
        request = request.headers(headers[0]);
        return hasBody ? request.body(type.write(body)) : request;
    }

    private String text(int index) {
        return get(index).isnil() ? "" : LuaText.text(get(index));
    }

    /** Percent-encodes what cannot be in a URL, and keeps what is encoded already. */
    private static String encoded(String text) {
        var out = new StringBuilder();
        for (byte b : text.getBytes(UTF_8)) {
            if (b > ' ' && b < 0x7f && "\"<>\\^`{|}#".indexOf(b) < 0) {
                out.append((char) b);
            } else {
                out.append("%%%02X".formatted(b & 0xff));
            }
        }
        return out.toString();
    }

    private void end(CompletableFuture<Parsed> parsed, ClientRequest request) {
        if (active != parsed) {
            return; // aborted
        }
        boolean failed = parsed.isCompletedExceptionally();
        Parsed response =
                failed
                        ? new Parsed(get(RESPONSE_TYPE), LuaValue.NIL, LuaValue.NIL, LuaValue.ZERO)
                        : parsed.resultNow();
        boolean taken =
                deliver(
                        ON_RESPONSE,
                        () -> {
                            super.set(RESPONSE_TYPE, response.type);
                            super.set(RESPONSE_HEADERS, response.headers);
                            super.set(RESPONSE_BODY, response.body);
                            super.set(STATUS_CODE, response.status);
                        },
                        handlersFailed -> {});
        if (!taken) {
            retry =
                    context()
                            .scripts()
                            .schedule(name() + " response", BUSY, () -> end(parsed, request));
            return;
        }
        active = null;
        if (failed) {
            warn(request.method() + " has no response: " + parsed.exceptionNow().getMessage());
        }
    }

    /** Parses a response, not on the thread of the scripts: 1 MiB would delay them. */
    private Parsed parse(Received received, LuaValue wanted) {
        HttpBody type = HttpBody.of(received.type, received.body.length);
        HttpBody decided = HttpBody.of(wanted).orElse(HttpBody.NONE);
        if (type != HttpBody.NONE && decided != HttpBody.NONE && decided != HttpBody.OTHER) {
            type = decided;
        }
        LuaValue body;
        try {
            body = type.parse(received.body, received.type);
        } catch (IOException e) {
            warn("the response is read as a string: " + e.getMessage());
            body = LuaString.valueUsing(received.body);
        }
        return new Parsed(
                LuaValue.valueOf(type.ordinal()),
                HttpHeaders.table(received.headers),
                body,
                LuaValue.valueOf(received.status));
    }

    @Override
    public void close() {
        abort();
    }
}

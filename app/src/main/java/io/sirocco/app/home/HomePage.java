// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.home;

import io.sirocco.app.admin.Guard;
import io.sirocco.app.admin.JsonBody;
import io.sirocco.app.admin.OperatorServer;
import io.sirocco.app.admin.Refused;
import io.sirocco.home.Clu;
import io.sirocco.http.Handler;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.Routes;
import io.sirocco.http.SseSink;
import io.sirocco.net.WhenFull;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The page of a controller for its operator, and its HTTP API: an {@link OperatorServer}.
 *
 * <pre>
 * GET  /home           the page, fed by GET /home/events
 * GET  /home/pin       {"pin": "..."}
 * POST /home/set       {"object": "DOU1", "feature": 0, "value": 1}
 * POST /home/execute   {"object": "ROL1", "method": 10, "arguments": [50]}
 * POST /home/script    {"script": "1 + 1"}; returns {"value": "2"}, as the two above
 * POST /home/reset     boots the scripts again
 * </pre>
 *
 * <p>Any thread.
 */
final class HomePage implements AutoCloseable {
    private static final int MAX_VIEWERS = 16;
    private static final int MAX_CONNECTIONS = 1_000;
    private static final int MAX_ARGUMENTS = 8;
    private static final int MAX_INDEX = 10_000;
    private static final int LONGEST_BODY = 6 * ScriptConsole.LONGEST + 1_000; // \\u0000 is escaped
    private static final long FRESH = 250; // milliseconds that a state is shared
    private static final long QUIET = 5_000; // milliseconds between events without news
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,63}");

    private final Clu clu;
    private final HomeState.Facts facts;
    private final ScriptConsole console;
    private final JsonMapper json = JsonMapper.shared();
    private final OperatorServer server;
    private String state; // JSON; guarded by this, as below
    private long stateTime;
    private int change; // of the present state, so that others are seen to differ
    private volatile boolean closed;

    private HomePage(InetSocketAddress address, Guard guard, Clu clu, HomeState.Facts facts) {
        this.clu = clu;
        this.facts = facts;
        console = new ScriptConsole(clu);
        server =
                new OperatorServer(
                        address,
                        guard,
                        MAX_VIEWERS,
                        config ->
                                config.maxConnectionsPerLoop(MAX_CONNECTIONS, WhenFull.REPLACE)
                                        .bodyTimeout(Duration.ofSeconds(5), LONGEST_BODY)
                                        .maxBodyBytes(LONGEST_BODY),
                        this::routes);
    }

    /**
     * Starts the server.
     *
     * @param address a resolved address; a loopback address unless there is a token
     * @param tokenFile contains the token
     * @throws IOException if it has no usable token, with a message for the operator
     * @throws java.io.UncheckedIOException if it cannot listen; the cause has a message
     */
    static HomePage start(
            InetSocketAddress address, Optional<Path> tokenFile, Clu clu, HomeState.Facts facts)
            throws IOException {
        var page = new HomePage(address, Guard.of(address, tokenFile), clu, facts);
        page.server.start();
        return page;
    }

    private void routes(Routes routes, OperatorServer server) {
        routes.get("/", request -> Response.redirect("/home"));
        OperatorServer.file(routes, "/home", HomePage.class, "home.html");
        for (String name : new String[] {"home.css", "home.js"}) {
            OperatorServer.file(routes, "/" + name, HomePage.class, name);
        }
        for (String name : new String[] {"dashboard.css", "live.css", "icon.svg"}) {
            OperatorServer.file(routes, "/" + name, OperatorServer.class, name);
        }
        routes.get("/home/events", request -> server.events(this::show));
        routes.get("/home/pin", request -> json(new Pin(clu.pin())));
        routes.post("/home/set", action(this::set));
        routes.post("/home/execute", action(this::execute));
        routes.post("/home/script", action(this::script));
        routes.post("/home/reset", action(this::reset));
    }

    private record Pin(String pin) {}

    private record Value(String value) {}

    private Response json(Object object) {
        return Response.json(json.writeValueAsString(object));
    }

    /** A request that runs a script. */
    private interface Action {
        String run(Request request) throws IOException, Refused, InterruptedException;
    }

    private Handler action(Action action) {
        return request -> {
            String type = request.header("Content-Type").orElse("");
            if (!type.startsWith("application/json")) { // which no form of another site can send
                return new Refused(415, "not_json", "send Content-Type: application/json")
                        .response();
            }
            try {
                return json(new Value(action.run(request)));
            } catch (Refused e) {
                return e.response();
            } finally {
                changed();
            }
        };
    }

    private String set(Request request) throws IOException, Refused, InterruptedException {
        JsonBody body = JsonBody.read(request, Set.of("object", "feature", "value"));
        int feature = index(body, "feature");
        if (!body.has("value")) {
            throw JsonBody.bad("\"value\" is missing");
        }
        String value = LuaLiteral.of(body.get("value"));
        return console.run("%s:set(%d, %s)".formatted(object(body), feature, value));
    }

    private String execute(Request request) throws IOException, Refused, InterruptedException {
        JsonBody body = JsonBody.read(request, Set.of("object", "method", "arguments"));
        JsonNode arguments = body.get("arguments");
        if (body.has("arguments") && !arguments.isArray() || arguments.size() > MAX_ARGUMENTS) {
            throw JsonBody.bad("\"arguments\" must be an array of up to 8 values");
        }
        var call = new StringBuilder();
        call.append(object(body)).append(":execute(").append(index(body, "method"));
        for (JsonNode each : arguments) {
            call.append(", ").append(LuaLiteral.of(each));
        }
        return console.run(call.append(')').toString());
    }

    private String script(Request request) throws IOException, Refused, InterruptedException {
        JsonBody body = JsonBody.read(request, Set.of("script"));
        return console.run(body.text("script").orElse(""));
    }

    private String reset(Request request) throws IOException, Refused {
        JsonBody.read(request, Set.of());
        clu.reset();
        return "reset";
    }

    /** Returns the name of an object, which is that of its global variable. */
    private static String object(JsonBody body) throws Refused {
        String name = body.text("object").orElse("");
        if (!NAME.matcher(name).matches()) {
            throw JsonBody.bad("\"object\" must be the name of an object");
        }
        return name;
    }

    private static int index(JsonBody body, String key) throws Refused {
        if (!body.has(key)) {
            throw JsonBody.bad("\"" + key + "\" is missing");
        }
        return body.whole(key, -1, 0, MAX_INDEX);
    }

    /** Sends the state, and again whenever it has changed. */
    private void show(SseSink sink) throws IOException, InterruptedException {
        sink.retry(Duration.ofSeconds(2));
        String sent = "";
        long last = 0;
        while (!closed) {
            String now = state();
            if (!now.equals(sent)) {
                sink.send("state", now);
                sent = now;
                last = System.nanoTime();
            } else if (System.nanoTime() - last > QUIET * 1_000_000) {
                sink.send("same", "");
                last = System.nanoTime();
            }
            pause();
        }
    }

    private synchronized void pause() throws InterruptedException {
        int seen = change;
        long end = System.nanoTime() + FRESH * 1_000_000;
        for (long left = FRESH; left > 0 && seen == change && !closed; ) {
            wait(left);
            left = (end - System.nanoTime()) / 1_000_000;
        }
    }

    private synchronized void changed() {
        state = null;
        change++;
        notifyAll();
    }

    private synchronized String state() throws InterruptedException {
        long now = System.nanoTime();
        if (state == null || now - stateTime > FRESH * 1_000_000) {
            state = json.writeValueAsString(HomeState.of(clu, facts));
            stateTime = now;
        }
        return state;
    }

    /** Returns the address that it listens on. */
    InetSocketAddress address() {
        return server.address();
    }

    /** Closes its connections and streams. */
    @Override
    public void close() {
        closed = true;
        changed();
        server.close();
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.admin;

import io.sirocco.http.Handler;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.Routes;
import io.sirocco.http.SseSink;
import io.sirocco.live.Client;
import io.sirocco.live.Live;
import io.sirocco.net.log.LazyLogger;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The console for operators of event channels: a page, and its HTTP API.
 *
 * <pre>
 * GET  /live           the page, fed by GET /live/events?search=
 * POST /live/publish   sends an event: {@link Publish}
 * POST /live/close     closes a client: {"client": "...", "code": "...", "message": "..."}
 * </pre>
 *
 * <p>It is part of the admin server because only operators may see clients, their addresses and
 * their tags. Any thread.
 */
final class Console {
    private static final LazyLogger LOG = LazyLogger.of(Console.class);
    private static final int LONGEST_SEARCH = 200;

    /** The maximum share of the time for listing clients, as 1 / SHARE. */
    private static final int SHARE = 20;

    private final Subject subject;
    private final MetricsSampler sampler;

    Console(Subject subject, MetricsSampler sampler) {
        this.subject = subject;
        this.sampler = sampler;
    }

    void addTo(Routes routes) {
        routes.route(
                        "POST",
                        "/live/publish",
                        with((live, request) -> new Publish(live).answer(request)))
                .maxBodyBytes(Publish.LONGEST);
        routes.post("/live/close", with(this::close));
        page(routes, "/live", "live.html");
        page(routes, "/live.css", "live.css");
        page(routes, "/live.js", "live.js");
    }

    private void page(Routes routes, String path, String resource) {
        routes.get(path, with((live, request) -> Resources.page(resource)));
    }

    /** A handler that needs channels, which a reload can switch on. */
    interface OfChannels {
        Response answer(Live live, Request request) throws IOException, InterruptedException;
    }

    Handler with(OfChannels action) {
        return request -> {
            Optional<Live> live = subject.live();
            return live.isPresent()
                    ? action.answer(live.get(), request)
                    : Response.text("Channels are switched off: on = false in [live].\n")
                            .status(404);
        };
    }

    /** The data of each second: the metrics of the dashboard, and the clients. */
    private record Second(List<Sample> samples, Overview now, ClientList clientList) {}

    /** Sends the history first, then each second. */
    void show(Live live, SseSink sink, String search) throws IOException, InterruptedException {
        String wanted = search.substring(0, Math.min(LONGEST_SEARCH, search.length()));
        sink.retry(Duration.ofSeconds(2));
        MetricsSampler.News news = sampler.all();
        long looked = 0;
        long cost = 0;
        ClientList clientList = null;
        String event = "history";
        while (true) {
            long now = System.nanoTime();
            if (clientList == null || now - looked > SHARE * cost) {
                clientList = ClientList.of(live, wanted);
                looked = now;
                cost = System.nanoTime() - now;
            }
            sink.send(
                    event,
                    JsonMapper.shared()
                            .writeValueAsString(
                                    new Second(news.samples(), news.now(), clientList)));
            event = "second";
            long seen = news.samples().isEmpty() ? 0 : news.samples().getLast().number();
            news = sampler.since(seen);
        }
    }

    private Response close(Live live, Request request) throws IOException {
        JsonNode body;
        try {
            body = JsonMapper.shared().readTree(request.body().bytes());
        } catch (JacksonException e) {
            return ErrorObject.response(400, "bad_arguments", "the body is not valid JSON");
        }
        if (!body.path("client").isString()) {
            return ErrorObject.response(
                    400, "bad_arguments", "\"client\" must be the id of the client to close");
        }
        Optional<Client> client = live.client(body.path("client").asString(""));
        if (client.isEmpty()) {
            return ErrorObject.response(404, "unknown_client", "this node has no such client");
        }
        LOG.get().log(Level.INFO, "an operator closes {0}", client.get());
        client.get()
                .close(
                        body.path("code").asString("closed"),
                        body.path("message").asString("closed by an operator"));
        return Response.json("{}");
    }
}

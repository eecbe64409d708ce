// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.exchange;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.http.Headers;
import io.sirocco.http.Response;
import io.sirocco.http.loop.ServerProtocol;
import io.sirocco.http.message.RequestHead;
import io.sirocco.http.route.RouteTarget;
import io.sirocco.net.CloseCause;
import io.sirocco.net.Connection;
import io.sirocco.net.OpenFile;
import io.sirocco.net.ReceivedBytes;
import io.sirocco.net.TlsSession;
import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * An {@link HttpStream} without a socket, and without any bytes of HTTP: it notes what the exchange
 * does to it, and does what a peer would. Loop-confined; tests reach it through {@link FakeServer}.
 */
public final class FakeStream implements HttpStream {
    /** How an exchange went that is complete, cut off or upgraded. */
    public record Result(
            int status,
            Headers headers,
            String body,
            String end,
            boolean closesAfterResponse,
            List<String> interims,
            Headers trailers) {}

    private final LoopContext context;
    private final CompletableFuture<Result> result = new CompletableFuture<>();
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private final List<String> interims = new ArrayList<>();
    private Response response;
    private Headers trailers = Headers.none();
    private boolean closesAfterResponse;
    private long expires = Long.MAX_VALUE;
    private Exchange exchange; // null when it is over

    boolean secure; // over TLS, by a certificate for this host
    String certificate = "a";
    boolean congested;
    boolean memoryShort;
    boolean open = true;
    boolean keepsReading; // the request, when its response is complete
    int demands;
    long statedLength = -2;
    List<RouteTarget.Buckets> paced = new ArrayList<>();
    boolean stalled; // was asked for
    List<OpenFile> files = new ArrayList<>();

    FakeStream(LoopContext context) {
        this.context = context;
    }

    // ---- what the peer does

    void begin(RequestHead head, long bodyLength) {
        exchange = context.dispatcher.open(this, head, bodyLength);
        exchange.start();
        deliver();
    }

    void receive(byte[] bytes) {
        exchange.received(bytes, 0, bytes.length);
        deliver();
    }

    void endBody(Headers trailers) {
        exchange.bodyEnded(trailers);
        deliver();
        if (exchange != null && exchange.ended) {
            over();
        }
    }

    private void deliver() {
        if (exchange != null) {
            exchange.delivered();
        }
        if (exchange != null) {
            exchange.request.detach();
            exchange.stored();
        }
    }

    void drain() {
        congested = false;
        exchange.drained();
    }

    void leave() {
        exchange.clientGone();
    }

    void close(CloseCause cause) {
        open = false;
        Exchange cut = exchange;
        exchange = null;
        cut.closed(cause);
        finish("closed");
    }

    void expireIfDue() {
        if (exchange != null && expires <= context.loop.now()) {
            expires = Long.MAX_VALUE;
            exchange.expired();
        }
    }

    int written() {
        return body.size();
    }

    Exchange exchange() {
        return exchange;
    }

    CompletableFuture<Result> result() {
        return result;
    }

    private void finish(String end) {
        result.complete(
                new Result(
                        response == null ? 0 : response.status(),
                        response == null ? Headers.none() : response.headers(),
                        body.toString(UTF_8),
                        end,
                        closesAfterResponse,
                        List.copyOf(interims),
                        trailers));
    }

    // ---- what the exchange does

    @Override
    public SocketAddress remote() {
        return new InetSocketAddress("192.0.2.1", 1);
    }

    @Override
    public SocketAddress peer() {
        return remote();
    }

    @Override
    public SocketAddress local() {
        return new InetSocketAddress("192.0.2.2", 2);
    }

    @Override
    public Optional<TlsSession> tls() {
        return Optional.empty();
    }

    @Override
    public boolean secure() {
        return secure;
    }

    @Override
    public boolean authoritative(byte[] bytes, int from, int to) {
        return certificate.equals(new String(bytes, from, to - from, UTF_8));
    }

    @Override
    public boolean open() {
        return open;
    }

    @Override
    public boolean connected() {
        return open;
    }

    @Override
    public void demand() {
        demands++;
    }

    @Override
    public void abandonBody() {
        closesAfterResponse = true;
        if (exchange.ended) {
            over();
        }
    }

    @Override
    public void pace(RouteTarget.Buckets limits) {
        paced.add(limits);
    }

    @Override
    public boolean stores(long bytes) {
        return !memoryShort;
    }

    @Override
    public void closeAfterResponse() {
        closesAfterResponse = true;
    }

    @Override
    public void interim(int status, Headers headers) {
        interims.add(status + " " + headers);
    }

    @Override
    public void send(ResponseMessage response, byte[] bytes) {
        this.response = response;
        statedLength = bytes.length;
        if (!response.bodiless() && !exchange.headOnly) {
            body.writeBytes(bytes);
        }
        end(Headers.none());
    }

    @Override
    public void begin(ResponseMessage response, long length) {
        this.response = response;
        statedLength = length;
    }

    @Override
    public void data(byte[] bytes, int from, int to) {
        body.write(bytes, from, to - from);
    }

    @Override
    public void data(ReceivedBytes input, int count) {
        throw new UnsupportedOperationException("no test relays to it");
    }

    @Override
    public void piece(byte[] bytes, int from, int to) {
        body.write(bytes, from, to - from);
    }

    @Override
    public void file(OpenFile file, long from, long length) {
        files.add(file);
        var bytes = new byte[(int) length];
        try (FileChannel channel = FileChannel.open(file.path())) {
            channel.read(ByteBuffer.wrap(bytes), from);
        } catch (java.io.IOException e) {
            throw new AssertionError(e);
        }
        body.writeBytes(bytes);
        file.release();
    }

    @Override
    public void end(Headers trailers) {
        this.trailers = trailers;
        exchange.responseWritten();
        if (keepsReading && exchange.body != null && exchange.body.expected()) {
            exchange.discardBody();
            finish("end");
            return;
        }
        if (exchange.body != null && exchange.body.expected()) {
            exchange.body.fail(new java.io.IOException("the stream drops the rest"));
        }
        over();
        finish("end");
    }

    private void over() {
        Exchange done = exchange;
        exchange = null;
        done.over();
    }

    @Override
    public void cutOff() {
        reset();
    }

    @Override
    public void reset() {
        exchange = null;
        open = false;
        finish("reset");
    }

    @Override
    public void abort(CloseCause cause) {
        close(cause);
    }

    @Override
    public void upgrade(ResponseMessage head, Function<Connection, ServerProtocol> next) {
        response = head;
        exchange.upgraded();
        exchange = null;
        finish("upgrade");
    }

    @Override
    public void reportWhenSent(Exchange done) {
        ExchangeReport.of(done, 0).deliverLater(true);
    }

    @Override
    public boolean congested() {
        return congested;
    }

    @Override
    public long unsent() {
        return congested ? 1 << 20 : 0;
    }

    @Override
    public void deadline(long at) {
        expires = at;
    }

    @Override
    public long outputDeadline() {
        long most = context.limits.writeMillis();
        return most == 0 ? Long.MAX_VALUE : context.loop.now() + most;
    }

    @Override
    public void abortIfStalled() {
        stalled = true;
        if (congested) {
            close(CloseCause.ABORTED);
        } else {
            expires = outputDeadline();
        }
    }
}

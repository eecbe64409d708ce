// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.exchange;

import io.sirocco.http.Monitor;
import io.sirocco.http.Request;
import io.sirocco.http.RequestError;
import io.sirocco.http.message.RequestHead;
import java.net.SocketAddress;
import java.util.Optional;

/**
 * The report of one exchange to the monitor and to flight recordings, created when its response was
 * written and delivered when that was sent. Loop-confined.
 */
final class ExchangeReport implements Monitor.CompletedRequest, Runnable {
    private final Exchange exchange;
    private final RequestHead head;
    private final boolean copied; // the head, for this report
    private long nanos;
    private boolean complete;

    /** The end of the response in the output of the connection. */
    final long end;

    ExchangeReport next; // in the queue of the connection

    private ExchangeReport(Exchange exchange, RequestHead head, boolean copied, long end) {
        this.exchange = exchange;
        this.head = head;
        this.copied = copied;
        this.end = end;
    }

    /**
     * Returns a report, which is delivered when the request is no longer valid.
     *
     * @param end of the response in the output of the connection
     */
    static ExchangeReport of(Exchange exchange, long end) {
        // A copy that a thread of the handler may know is never given to another request.
        boolean copies = !exchange.request.detached();
        RequestHead head = exchange.request.peek();
        RequestHead kept = copies ? exchange.context.keep(head) : head;
        return new ExchangeReport(exchange, kept, copies, end);
    }

    /** Records that {@code unsent} bytes of the response will never be sent. */
    void lost(long unsent) {
        exchange.bytesOut = Math.max(0, exchange.bytesOut - unsent);
    }

    /** Has the report delivered. {@code sent} says whether the whole response was sent. */
    void deliverLater(boolean sent) {
        LoopContext context = exchange.context;
        complete = sent && !exchange.brokenOff;
        nanos = context.loop.clock().nanos() - exchange.began;
        context.reportLater(this);
    }

    /** Delivers the report. */
    @Override
    public void run() {
        LoopContext context = exchange.context;
        try {
            if (exchange.event != null) {
                exchange.event.commit(this);
            }
            context.serverContext.monitor().completed(this);
        } finally {
            if (copied) { // for reuse
                context.giveBack(head);
            }
        }
    }

    @Override
    public int loop() {
        return exchange.context.loop.index();
    }

    @Override
    public String id() {
        return exchange.id();
    }

    @Override
    public long millis() {
        return exchange.context.loop.clock().wallMillis();
    }

    @Override
    public SocketAddress remoteAddress() {
        return exchange.request.remoteAddress();
    }

    @Override
    public SocketAddress peerAddress() {
        return exchange.request.peerAddress();
    }

    @Override
    public boolean isSecure() {
        return exchange.request.isSecure();
    }

    @Override
    public String version() {
        return head.version();
    }

    @Override
    public String method() {
        return head.method();
    }

    @Override
    public String target() {
        return head.pathAndQuery();
    }

    @Override
    public String host() {
        return head.hasHost() ? head.host() : "";
    }

    @Override
    public Optional<String> header(String name) {
        int i = head.find(name);
        return i < 0 ? Optional.empty() : Optional.of(head.value(i));
    }

    @Override
    public Optional<String> user() {
        return exchange.request.attribute(Request.USER).map(Object::toString);
    }

    @Override
    public Optional<Object> attribute(String name) {
        return exchange.request.attribute(name);
    }

    @Override
    public String route() {
        return exchange.routeTarget.path();
    }

    @Override
    public int status() {
        return exchange.status;
    }

    @Override
    public long bytesIn() {
        return exchange.body == null ? 0 : exchange.body.received();
    }

    @Override
    public long bytesOut() {
        return exchange.bytesOut;
    }

    @Override
    public long nanos() {
        return nanos;
    }

    @Override
    public boolean isComplete() {
        return complete;
    }

    @Override
    public Optional<RequestError> error() {
        return Optional.ofNullable(exchange.rule);
    }

    @Override
    public Optional<String> rejectedBy() {
        return exchange.request.rejectedBy();
    }
}

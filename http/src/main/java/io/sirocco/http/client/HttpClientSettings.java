// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.client;

import io.sirocco.http.Headers;
import io.sirocco.http.message.HeadLimits;
import io.sirocco.net.TlsClient;
import io.sirocco.net.limit.Timeouts;
import java.time.Duration;

/**
 * The limits and timeouts of an {@link HttpClient}. They are set in the lambda given to {@link
 * HttpClient#create(java.util.function.Consumer)} or {@link HttpClient#on}, and frozen when it
 * returns. All of them are finite by default. Each method returns these settings, and throws an
 * {@link IllegalArgumentException} for a value that is out of range. Not thread-safe.
 */
public final class HttpClientSettings {
    private int loops = 1;
    private Duration connect = Duration.ofSeconds(10);
    private Duration handshake = Duration.ofSeconds(10);
    private Duration queue = Duration.ofSeconds(10);
    private Duration response = Duration.ofSeconds(30);
    private Duration idle = Duration.ofSeconds(30);
    private Duration total = Duration.ofHours(1);
    private Duration keepAlive = Duration.ofSeconds(30);
    private Duration expect = Duration.ofSeconds(1);
    private int perOrigin = 64;
    private int perLoop = 1024;
    private int waiting = 1024;
    private int headerBytes = 32 << 10;
    private int headers = 100;
    private int interim = 16;
    private int bodyBytes = 8 << 20;
    private Headers common = Headers.none();
    private TlsClient tls; // null until it is needed: the system's

    HttpClientSettings() {}

    /** The frozen settings; durations in milliseconds unless they have a type. Immutable. */
    record Frozen(
            int loops,
            long connect,
            Duration handshake,
            long queue,
            long response,
            long idle,
            long total,
            long keepAlive,
            long expect,
            int perOrigin,
            int perLoop,
            int waiting,
            HeadLimits head,
            int interim,
            int bodyBytes,
            Headers headers,
            TlsClient tls) {}

    Frozen freeze() {
        return new Frozen(
                loops,
                connect.toMillis(),
                handshake,
                queue.toMillis(),
                response.toMillis(),
                idle.toMillis(),
                total.toMillis(),
                keepAlive.toMillis(),
                expect.toMillis(),
                perOrigin,
                perLoop,
                waiting,
                new HeadLimits(headerBytes, 1, headers),
                interim,
                bodyBytes,
                common,
                tls == null ? null : tls.withHandshakeTimeout(handshake));
    }

    /** Sets the number of event loops of a client that has its own. Default: 1. */
    public HttpClientSettings loops(int loops) {
        this.loops = atLeast(1, "loops", loops);
        return this;
    }

    /**
     * Sets how long one address may take to accept a connection. The addresses of a host are tried
     * one after the other. Default: 10 s.
     */
    public HttpClientSettings connectTimeout(Duration timeout) {
        this.connect = Timeouts.positive("connectTimeout", timeout);
        return this;
    }

    /**
     * Sets how long a TLS handshake may take. Replaces the timeout of the client given to {@link
     * #tls}. Default: 10 s.
     */
    public HttpClientSettings tlsTimeout(Duration timeout) {
        this.handshake = Timeouts.positive("tlsTimeout", timeout);
        return this;
    }

    /** Sets how long a request may wait for a free connection. Default: 10 s. */
    public HttpClientSettings queueTimeout(Duration timeout) {
        this.queue = Timeouts.positive("queueTimeout", timeout);
        return this;
    }

    /**
     * Sets the time from the last byte of the request to the end of the response headers. Default:
     * 30 s.
     */
    public HttpClientSettings responseTimeout(Duration timeout) {
        this.response = Timeouts.positive("responseTimeout", timeout);
        return this;
    }

    /**
     * Sets how long the server may send nothing of a response body that is being read, or read
     * nothing of a request body. Default: 30 s.
     */
    public HttpClientSettings bodyIdleTimeout(Duration timeout) {
        this.idle = Timeouts.positive("bodyIdleTimeout", timeout);
        return this;
    }

    /**
     * Sets the time from the call to the last byte of the response. {@link ClientRequest#timeout}
     * overrides it for one request. Default: 1 h.
     */
    public HttpClientSettings totalTimeout(Duration timeout) {
        this.total = Timeouts.positive("totalTimeout", timeout);
        return this;
    }

    /**
     * Sets how long an idle connection is kept for another request, or less if the server announces
     * less by {@code Keep-Alive: timeout=SECONDS}. Default: 30 s.
     */
    public HttpClientSettings keepAliveTimeout(Duration timeout) {
        this.keepAlive = Timeouts.positive("keepAliveTimeout", timeout);
        return this;
    }

    /**
     * Sets how long a request that {@linkplain ClientRequest#expectContinue expects 100 (Continue)}
     * waits for it before it sends its body anyway (RFC 9110 10.1.1). Default: 1 s.
     */
    public HttpClientSettings continueTimeout(Duration timeout) {
        this.expect = Timeouts.positive("continueTimeout", timeout);
        return this;
    }

    /** Sets the maximum number of connections of each loop to one origin. Default: 64. */
    public HttpClientSettings maxConnectionsPerOrigin(int most) {
        this.perOrigin = atLeast(1, "maxConnectionsPerOrigin", most);
        return this;
    }

    /** Sets the maximum number of connections of each loop to all origins. Default: 1024. */
    public HttpClientSettings maxConnectionsPerLoop(int most) {
        this.perLoop = atLeast(1, "maxConnectionsPerLoop", most);
        return this;
    }

    /**
     * Sets the maximum number of requests of each loop that wait for a connection. Default: 1024.
     */
    public HttpClientSettings maxWaitingRequests(int most) {
        this.waiting = atLeast(1, "maxWaitingRequests", most);
        return this;
    }

    /**
     * Sets the maximum size in bytes of the status line and headers of a response. Default: 32 KiB.
     */
    public HttpClientSettings maxHeaderBytes(int most) {
        this.headerBytes = atLeast(64, "maxHeaderBytes", most);
        return this;
    }

    /** Sets the maximum number of headers of a response. Default: 100. */
    public HttpClientSettings maxHeaders(int most) {
        this.headers = atLeast(1, "maxHeaders", most);
        return this;
    }

    /** Sets the maximum number of interim (1xx) responses before one response. Default: 16. */
    public HttpClientSettings maxInterimResponses(int most) {
        this.interim = atLeast(0, "maxInterimResponses", most);
        return this;
    }

    /**
     * Sets the maximum size of a body that {@link ResponseBody#bytes()} and {@link
     * ResponseBody#text()} hold in memory, in bytes. Default: 8 MiB.
     */
    public HttpClientSettings maxBodyBytes(int most) {
        this.bodyBytes = atLeast(0, "maxBodyBytes", most);
        return this;
    }

    /**
     * Sets a header of each request that does not set it itself, such as {@code User-Agent}.
     *
     * @throws IllegalArgumentException if the name or value is invalid, or if the client writes
     *     this header itself
     */
    public HttpClientSettings header(String name, String value) {
        ClientRequest.refuseOurs(name);
        this.common = common.set(name, value);
        return this;
    }

    /**
     * Sets the trusted certificates and the client's own certificate. Default: the certificates
     * that the JVM trusts.
     */
    public HttpClientSettings tls(TlsClient tls) {
        this.tls = tls;
        return this;
    }

    private static int atLeast(int least, String name, int value) {
        if (value < least) {
            throw new IllegalArgumentException(
                    name + " must be " + least + " or more, not " + value + ".");
        }
        return value;
    }
}

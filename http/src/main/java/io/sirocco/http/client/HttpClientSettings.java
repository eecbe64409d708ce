// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.client;

import io.sirocco.http.Headers;
import io.sirocco.http.message.HeadLimits;
import io.sirocco.net.TlsClient;
import java.time.Duration;

/**
 * Limits and timeouts of an {@link HttpClient}: set in the lambda that it is made with, and frozen
 * when that returns. All of them are finite by default. A value that cannot be is an {@link
 * IllegalArgumentException} that names it. Used by one thread.
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

    /** What is left of the settings when they are frozen; durations in milliseconds. Immutable. */
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

    /** Event loops of its own, for a client that is not given any; 1 by default. */
    public HttpClientSettings loops(int loops) {
        this.loops = atLeast(1, "loops", loops);
        return this;
    }

    /** How long one address may take to accept a connection; 10 s by default. */
    public HttpClientSettings connectTimeout(Duration timeout) {
        this.connect = positive("connectTimeout", timeout);
        return this;
    }

    /**
     * How long a TLS handshake may take; 10 s by default. It replaces the timeout of {@link #tls}.
     */
    public HttpClientSettings tlsTimeout(Duration timeout) {
        this.handshake = positive("tlsTimeout", timeout);
        return this;
    }

    /** How long a request may wait for a free connection; 10 s by default. */
    public HttpClientSettings queueTimeout(Duration timeout) {
        this.queue = positive("queueTimeout", timeout);
        return this;
    }

    /**
     * How long the header section of a response may take, from the last byte of the request on; 30
     * s by default.
     */
    public HttpClientSettings responseTimeout(Duration timeout) {
        this.response = positive("responseTimeout", timeout);
        return this;
    }

    /**
     * How long the server may send nothing of a response body that is being read, and take nothing
     * of a request body; 30 s by default.
     */
    public HttpClientSettings bodyIdleTimeout(Duration timeout) {
        this.idle = positive("bodyIdleTimeout", timeout);
        return this;
    }

    /**
     * How long an exchange may take as a whole, from the call until the last byte of the response;
     * 1 h by default. A request may have {@linkplain ClientRequest#timeout its own}.
     */
    public HttpClientSettings totalTimeout(Duration timeout) {
        this.total = positive("totalTimeout", timeout);
        return this;
    }

    /**
     * How long an idle connection is kept for another request; 30 s by default. Less where the
     * server announces less, by {@code Keep-Alive: timeout=SECONDS}.
     */
    public HttpClientSettings keepAliveTimeout(Duration timeout) {
        this.keepAlive = positive("keepAliveTimeout", timeout);
        return this;
    }

    /**
     * How long a request that {@linkplain ClientRequest#expectContinue expects 100 (Continue)}
     * waits before it sends its body all the same (RFC 9110 10.1.1); 1 s by default.
     */
    public HttpClientSettings continueTimeout(Duration timeout) {
        this.expect = positive("continueTimeout", timeout);
        return this;
    }

    /** Connections of each loop to one origin; 64 by default. */
    public HttpClientSettings maxConnectionsPerOrigin(int most) {
        this.perOrigin = atLeast(1, "maxConnectionsPerOrigin", most);
        return this;
    }

    /** Connections of each loop to all origins; 1024 by default. */
    public HttpClientSettings maxConnectionsPerLoop(int most) {
        this.perLoop = atLeast(1, "maxConnectionsPerLoop", most);
        return this;
    }

    /** Requests of each loop that wait for a connection; 1024 by default. */
    public HttpClientSettings maxWaitingRequests(int most) {
        this.waiting = atLeast(1, "maxWaitingRequests", most);
        return this;
    }

    /** Bytes of the status line and the header section of a response; 32 KiB by default. */
    public HttpClientSettings maxHeaderBytes(int most) {
        this.headerBytes = atLeast(64, "maxHeaderBytes", most);
        return this;
    }

    /** Fields of the header section of a response; 100 by default. */
    public HttpClientSettings maxHeaders(int most) {
        this.headers = atLeast(1, "maxHeaders", most);
        return this;
    }

    /** Interim (1xx) responses before one response; 16 by default. */
    public HttpClientSettings maxInterimResponses(int most) {
        this.interim = atLeast(0, "maxInterimResponses", most);
        return this;
    }

    /**
     * Bytes of a body that {@link ResponseBody#bytes()} and {@link ResponseBody#text()} hold in
     * memory; 8 MiB by default.
     */
    public HttpClientSettings maxBodyBytes(int most) {
        this.bodyBytes = atLeast(0, "maxBodyBytes", most);
        return this;
    }

    /**
     * A header of each request that does not set it itself, such as {@code User-Agent}.
     *
     * @throws IllegalArgumentException when the client writes the header itself
     */
    public HttpClientSettings header(String name, String value) {
        ClientRequest.refuseOurs(name);
        this.common = common.set(name, value);
        return this;
    }

    /** The certificates that it trusts; by default those that the JVM trusts. */
    public HttpClientSettings tls(TlsClient tls) {
        this.tls = tls;
        return this;
    }

    private static Duration positive(String name, Duration value) {
        if (value.toMillis() < 1) {
            throw new IllegalArgumentException(name + " must be 1 ms or more, not " + value + ".");
        }
        return value;
    }

    private static int atLeast(int least, String name, int value) {
        if (value < least) {
            throw new IllegalArgumentException(
                    name + " must be " + least + " or more, not " + value + ".");
        }
        return value;
    }
}

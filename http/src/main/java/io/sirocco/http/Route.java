// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.net.Bandwidth;
import java.time.Duration;

/**
 * One route while it is being set up; answered by the methods of {@link Routes}. Used by one
 * thread, then frozen.
 */
public final class Route {
    final String method;
    final String host;
    final String path;
    final Handler handler;
    Handling handling;
    long body = UNSET;
    long deadline = UNSET;
    Bandwidth reads;
    Bandwidth writes;
    boolean readsBody = true;

    static final long UNSET = Long.MIN_VALUE;

    Route(String method, String host, String path, Handler handler, Handling handling) {
        this.method = method;
        this.host = host;
        this.path = path;
        this.handler = handler;
        this.handling = handling;
    }

    /** Where its handler runs. */
    public Route handling(Handling handling) {
        this.handling = handling;
        return this;
    }

    /**
     * Its handler never looks at the body of a request: it is called when the head is there, and a
     * body is skipped.
     */
    public Route ignoresBody() {
        this.readsBody = false;
        return this;
    }

    /** Bytes of a request body, in the place of the server's limit; -1 for any number. */
    public Route body(long bytes) {
        this.body = bytes;
        return this;
    }

    /**
     * How long its handler may take until its response begins, in the place of the server's limit;
     * zero for ever.
     */
    public Route deadline(Duration longest) {
        this.deadline = longest.toMillis();
        return this;
    }

    /** Bandwidth of all its requests together, beside that of the connection and the server. */
    public Route bandwidth(Bandwidth reads, Bandwidth writes) {
        this.reads = reads;
        this.writes = writes;
        return this;
    }
}

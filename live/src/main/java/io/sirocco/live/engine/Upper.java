// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.engine;

import io.sirocco.http.Request;
import io.sirocco.net.Loop;
import java.util.concurrent.CompletionStage;

/** The layer above {@link Engine}. Called on loops, must not block. */
public interface Upper {

    /** Whether one more from where this request came is admitted; false answers 429. */
    CompletionStage<Boolean> admits(Request request);

    /**
     * A session was refused: {@code connects} for {@link #admits}, {@code clients} for too many,
     * {@code memory} for too many that nobody has been admitted from, {@code origin}.
     */
    void refused(String why);

    /** The address of a client: for those behind a proxy, what it says. */
    String address(Request request);

    /** Where sessions of this loop live. */
    Home home(Loop loop);

    /** A session is open. */
    Channel open(Session session);
}

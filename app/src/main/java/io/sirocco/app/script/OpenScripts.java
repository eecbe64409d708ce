// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.script;

import io.sirocco.app.config.Script;
import io.sirocco.http.Filter;
import io.sirocco.http.Monitor;
import io.sirocco.http.Server;
import io.sirocco.web.proxy.Upstream;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/** A folder of scripts that is in use. Any thread. */
public interface OpenScripts {
    /** Opens folders of scripts. */
    interface Opener {
        /**
         * Opens the folder of a route.
         *
         * @param upstreams that scripts reach, by name
         * @throws IOException if the folder cannot be read
         */
        OpenScripts open(Script options, Map<String, Upstream> upstreams) throws IOException;
    }

    /** Returns a stage that completes when the scripts are loaded, also if some have failed. */
    CompletionStage<Void> ready();

    /** Returns the filter that passes requests to the scripts. */
    Filter filter();

    /** Returns the monitor that tells scripts of completed responses. */
    Monitor monitor();

    /** Has further requests go to these upstreams, on the event loops of {@code server}. */
    void activate(Server server, Map<String, Upstream> upstreams);

    /** Ends all contexts when their requests have ended, or after a time; blocks meanwhile. */
    void close(Duration longest);
}

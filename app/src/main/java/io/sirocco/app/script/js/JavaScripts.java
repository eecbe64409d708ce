// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.script.js;

import io.sirocco.app.config.Script;
import io.sirocco.app.script.OpenScripts;
import io.sirocco.http.Filter;
import io.sirocco.http.Monitor;
import io.sirocco.http.Server;
import io.sirocco.script.ScriptOptions;
import io.sirocco.script.Scripts;
import io.sirocco.web.proxy.Upstream;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/** Opens folders of scripts in JavaScript. Any thread. */
public final class JavaScripts implements OpenScripts.Opener {
    /** Called by the name of the class. */
    public JavaScripts() {}

    @Override
    public OpenScripts open(Script script, Map<String, Upstream> upstreams) throws IOException {
        var reached = new ScriptUpstreams(script.anyUpstream(), upstreams);
        return new Opened(
                Scripts.of(script.folder(), options -> set(options, script, reached)), reached);
    }

    private static void set(ScriptOptions options, Script script, ScriptUpstreams upstreams) {
        options.upstreams(upstreams)
                .anyUpstream(script.anyUpstream())
                .timeout(script.timeout())
                .cpuTime(script.cpuTime())
                .setupTimeout(script.setupTimeout())
                .maxStatements(script.maxStatements())
                .maxBodyBytes(script.maxBodyBytes())
                .requestsPerContext(script.requestsPerContext())
                .maxWaiting(script.maxWaiting())
                .kv(script.kvEntries(), script.kvBytes())
                .config(script.config());
        script.maxAllocation().ifPresent(options::maxAllocation);
        if (script.contexts() > 0) options.contexts(script.contexts());
    }

    private record Opened(Scripts scripts, ScriptUpstreams upstreams) implements OpenScripts {
        @Override
        public CompletionStage<Void> ready() {
            return scripts.ready();
        }

        @Override
        public Filter filter() {
            return scripts;
        }

        @Override
        public Monitor monitor() {
            return scripts.monitor();
        }

        @Override
        public void activate(Server server, Map<String, Upstream> upstreams) {
            this.upstreams.activate(server, upstreams);
        }

        @Override
        public void close(Duration longest) {
            scripts.close(longest);
            upstreams.close();
        }
    }
}

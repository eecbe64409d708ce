// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import io.sirocco.home.lua.LuaRuntime;
import io.sirocco.home.mqtt.Mqtt;
import io.sirocco.net.log.LazyLogger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * The objects of this controller, which scripts know by the global variable of their name. Calls
 * run on the thread of the scripts. Values are reported 100 ms after a script has set a feature, so
 * at most ten times a second. A call fails when the scripts have not run it within the timeout. Any
 * thread.
 */
final class OwnObjects extends ScriptedObjects {
    private static final LazyLogger LOG = LazyLogger.of(Clu.class);
    private static final Runnable NONE = () -> {};
    private static final Executor SOON =
            CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS);

    private final LuaRuntime scripts;
    private final Duration timeout;
    private final AtomicBoolean due = new AtomicBoolean();
    private final AtomicBoolean failing = new AtomicBoolean(); // says it once
    private volatile Runnable report = NONE;

    OwnObjects(LuaRuntime scripts, Duration timeout) {
        this.scripts = scripts;
        this.timeout = timeout;
    }

    /** A script has set a feature. */
    void changed() {
        if (report != NONE && due.compareAndSet(false, true)) {
            SOON.execute(
                    () -> {
                        due.set(false);
                        report.run();
                    });
        }
    }

    @Override
    CompletableFuture<String> evaluate(String script) {
        var value = new CompletableFuture<String>();
        if (!scripts.call(script, value::complete)) {
            value.completeExceptionally(
                    new IllegalStateException("too many calls wait for the scripts"));
        }
        return value.orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public Mqtt.Subscription subscribe(List<FeatureRef> features, Consumer<List<String>> received) {
        Runnable own = () -> report(features, received);
        report = own;
        return () -> {
            if (report == own) {
                report = NONE;
            }
        };
    }

    private void report(List<FeatureRef> features, Consumer<List<String>> received) {
        values(features)
                .whenComplete(
                        (values, failure) -> {
                            if (failure == null) {
                                failing.set(false);
                                received.accept(values);
                            } else if (!failing.getAndSet(true)) {
                                LOG.get()
                                        .log(
                                                Level.WARNING,
                                                "values for Home Assistant are late, the scripts"
                                                        + " are busy: {0}",
                                                failure.toString());
                            }
                        });
    }
}

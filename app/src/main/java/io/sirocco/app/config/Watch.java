// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import io.sirocco.net.log.LazyLogger;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Calls when the files of a configuration have changed, once for all that changed together: a
 * certificate and its key are two files. It looks at them once a second and calls when a look finds
 * nothing new after one that did, so half-written files are left alone for {@value #PATIENCE}
 * looks.
 *
 * <p>It looks rather than being told by the system: that works for links, for volumes of containers
 * and network file systems, and costs one {@code stat} per file. Any thread.
 */
public final class Watch implements AutoCloseable {
    private static final LazyLogger LOG = LazyLogger.of(Watch.class);
    private static final Duration USUAL = Duration.ofSeconds(1);

    /** A file that changes at every look is reported nevertheless after so many. */
    private static final int PATIENCE = 10;

    private final CountDownLatch closed = new CountDownLatch(1);
    private final Runnable changed;
    private Map<Path, Stamp> stamps;
    private int unsettled;

    private Watch(Configuration configuration, Runnable changed) {
        this.stamps = new HashMap<>(configuration.document().stamps());
        this.changed = changed;
    }

    /**
     * Watches from now on. Changes since the configuration was read count as well.
     *
     * @param changed is called on a thread of this watch, never twice at once; what it throws is
     *     logged
     */
    public static Watch start(Configuration configuration, Runnable changed) {
        var watch = new Watch(configuration, changed);
        Thread.ofPlatform().daemon().name("sirocco-watch").start(() -> watch.look(USUAL));
        return watch;
    }

    /** Without a thread; a test calls {@link #look()}. */
    static Watch still(Configuration configuration, Runnable changed) {
        return new Watch(configuration, changed);
    }

    /** Watches the files of another configuration from now on: the one that was reloaded. */
    public synchronized void follow(Configuration configuration) {
        stamps = new HashMap<>(configuration.document().stamps());
        unsettled = 0;
    }

    /**
     * Regards all changes up to now as reported: a reload that has another cause reads them, and
     * says so if it refuses them.
     */
    public synchronized void seen() {
        stamps.replaceAll((file, stamp) -> Stamp.of(file));
        unsettled = 0;
    }

    private void look(Duration every) {
        try {
            while (!closed.await(every.toMillis(), TimeUnit.MILLISECONDS)) {
                try {
                    look();
                } catch (Throwable e) { // this thread must not end
                    failed(e);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // whoever does so wants it to end
        }
    }

    /** One look at all files. */
    void look() {
        if (!isDue()) return;
        try {
            changed.run();
        } catch (RuntimeException e) {
            failed(e);
        }
    }

    private static void failed(Throwable thrown) {
        try {
            LOG.get().log(System.Logger.Level.ERROR, "a reload failed", thrown);
        } catch (Throwable e) {
            // there is no heap for that either
        }
    }

    private synchronized boolean isDue() {
        boolean news = false;
        for (Map.Entry<Path, Stamp> file : stamps.entrySet()) {
            Stamp now = Stamp.of(file.getKey());
            news |= !now.equals(file.setValue(now));
        }
        boolean due = news ? unsettled + 1 == PATIENCE : unsettled > 0;
        unsettled = due || !news ? 0 : unsettled + 1;
        return due;
    }

    /** Calls no more, unless a call is under way. */
    @Override
    public void close() {
        closed.countDown();
    }
}

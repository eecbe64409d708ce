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
 * Watches the files of a configuration and calls back after a change, once for files that change
 * together, such as a certificate and its key. It checks them once a second and calls back when a
 * check finds no further change, or after {@value #PATIENCE} checks, so that half-written files are
 * not read.
 *
 * <p>It polls instead of using file system events, because polling works with links, container
 * volumes and network file systems, and costs one {@code stat} per file. Any thread.
 */
public final class Watch implements AutoCloseable {
    private static final LazyLogger LOG = LazyLogger.of(Watch.class);
    private static final Duration USUAL = Duration.ofSeconds(1);

    /** The number of checks after which a file that keeps changing is reported. */
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
     * Starts to watch. Changes since the configuration was read count, too.
     *
     * @param changed called on the thread of this watch; exceptions are logged
     */
    public static Watch start(Configuration configuration, Runnable changed) {
        return start(configuration, changed, USUAL);
    }

    static Watch start(Configuration configuration, Runnable changed, Duration every) {
        var watch = new Watch(configuration, changed);
        Thread.ofPlatform().daemon().name("sirocco-watch").start(() -> watch.look(every));
        return watch;
    }

    /** Creates a watch without a thread; a test calls {@link #look()}. */
    static Watch still(Configuration configuration, Runnable changed) {
        return new Watch(configuration, changed);
    }

    /** Switches to the files of the configuration that was reloaded. */
    public synchronized void follow(Configuration configuration) {
        stamps = new HashMap<>(configuration.document().stamps());
        unsettled = 0;
    }

    /**
     * Marks all changes up to now as reported: a reload for another reason reads them, and reports
     * them if it rejects them.
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
            Thread.currentThread().interrupt(); // the interrupt asks this thread to end
        }
    }

    /** Checks all files once. */
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
            LOG.get().log(System.Logger.Level.ERROR, "reload failed", thrown);
        } catch (Throwable e) {
            // out of memory here, too
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

    /** Stops the callbacks; one in progress is completed. */
    @Override
    public void close() {
        closed.countDown();
    }
}

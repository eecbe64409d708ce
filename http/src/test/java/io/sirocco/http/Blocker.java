// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Something that blocks its thread, and the loop below it, without parking, until it is released.
 * Any number of times, one after the other. Any thread.
 */
abstract class Blocker implements AutoCloseable {
    /** Ways to block. */
    enum Way {
        PIPE("reads a pipe"),
        FIFO("opens and reads a FIFO"),
        WRITE("writes to a file that takes no more"),
        CLASS("initialises a class"),
        CPU("computes");

        final String what;

        Way(String what) {
            this.what = what;
        }
    }

    private final Semaphore entered = new Semaphore(0);

    static Blocker of(Way way) throws Exception {
        return switch (way) {
            case PIPE -> new Pipe();
            case FIFO -> new Fifo();
            case WRITE -> new Write();
            case CLASS -> new Initialiser();
            case CPU -> new Spin();
        };
    }

    /** Blocks until it is released. */
    final void block() throws Exception {
        entered.release();
        hold();
    }

    /** Waits until somebody is about to block. */
    final void awaitEntered() throws InterruptedException {
        if (!entered.tryAcquire(20, TimeUnit.SECONDS)) {
            throw new AssertionError("nobody has come");
        }
    }

    abstract void hold() throws Exception;

    /** Releases the one that blocks. */
    abstract void release() throws Exception;

    @Override
    public void close() throws IOException {}

    /** Reads the output of a process. */
    private static final class Pipe extends Blocker {
        private final Process cat = new ProcessBuilder("cat").start();

        Pipe() throws IOException {}

        @Override
        void hold() throws IOException {
            cat.getInputStream().read();
        }

        @Override
        void release() throws IOException {
            cat.getOutputStream().write('!');
            cat.getOutputStream().flush();
        }

        @Override
        public void close() {
            cat.destroy();
        }
    }

    private static File fifo() throws Exception {
        Path path = Files.createTempDirectory("fifo").resolve("fifo");
        if (new ProcessBuilder("mkfifo", path.toString()).start().waitFor() != 0) {
            throw new IOException("no FIFO can be made here");
        }
        path.toFile().deleteOnExit();
        return path.toFile();
    }

    /** Opens a file that opens when another one does. */
    private static final class Fifo extends Blocker {
        private final File fifo = fifo();

        Fifo() throws Exception {}

        @Override
        void hold() throws IOException {
            try (var in = new FileInputStream(fifo)) {
                in.read();
            }
        }

        @Override
        void release() throws IOException {
            try (var out = new FileOutputStream(fifo)) {
                out.write('!');
            }
        }
    }

    /** Writes to a file that takes a part of it and then lets the writer wait, as a slow disk. */
    private static final class Write extends Blocker {
        private static final int MORE_THAN_FITS = 1 << 20;
        private final RandomAccessFile fifo = new RandomAccessFile(fifo(), "rw");

        Write() throws Exception {}

        @Override
        void hold() throws IOException {
            fifo.write(new byte[MORE_THAN_FITS]);
        }

        @Override
        void release() throws IOException {
            fifo.readFully(new byte[MORE_THAN_FITS]);
        }

        @Override
        public void close() throws IOException {
            fifo.close();
        }
    }

    /** What {@link Initialiser} waits for; a class that other loaders define cannot see it. */
    private static final String LATCH = "io.sirocco.http.Blocker";

    /** Initialised anew by each loader. */
    static final class Slow {
        static {
            try {
                ((Semaphore) System.getProperties().get(LATCH)).acquire();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        private Slow() {}
    }

    /** Waits in a class initialiser. */
    private static final class Initialiser extends Blocker {
        private static final String NAME = Slow.class.getName();
        private final byte[] code;

        Initialiser() throws IOException {
            String file = "/" + NAME.replace('.', '/') + ".class";
            try (InputStream in = Blocker.class.getResourceAsStream(file)) {
                code = in.readAllBytes();
            }
            System.getProperties().put(LATCH, new Semaphore(0));
        }

        @Override
        void hold() throws Exception {
            var loader =
                    new ClassLoader(null) {
                        @Override
                        protected Class<?> findClass(String name) throws ClassNotFoundException {
                            if (!name.equals(NAME)) {
                                throw new ClassNotFoundException(name);
                            }
                            return defineClass(name, code, 0, code.length);
                        }
                    };
            Class.forName(NAME, true, loader);
        }

        @Override
        void release() {
            ((Semaphore) System.getProperties().get(LATCH)).release();
        }

        @Override
        public void close() {
            System.getProperties().remove(LATCH);
        }
    }

    /** Computes. */
    private static final class Spin extends Blocker {
        private final Semaphore latch = new Semaphore(0);

        @Override
        void hold() {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            while (!latch.tryAcquire() && System.nanoTime() < end) {
                Thread.onSpinWait();
            }
        }

        @Override
        void release() {
            latch.release();
        }
    }
}

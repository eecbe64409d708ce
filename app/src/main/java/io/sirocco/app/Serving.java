// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.app.admin.Admin;
import io.sirocco.app.admin.Registrations;
import io.sirocco.app.admin.Subject;
import io.sirocco.app.config.ConfigError;
import io.sirocco.app.config.Configuration;
import io.sirocco.app.config.InvalidConfiguration;
import io.sirocco.app.config.Listen;
import io.sirocco.app.config.Log;
import io.sirocco.app.config.LogFile;
import io.sirocco.app.config.Problem;
import io.sirocco.app.config.Watch;
import io.sirocco.http.Server;
import io.sirocco.http.ServerStats;
import io.sirocco.live.Live;
import io.sirocco.net.limit.Ip;
import io.sirocco.net.log.LazyLogger;
import io.sirocco.web.cache.ResponseCache;
import io.sirocco.web.log.AccessLog;
import io.sirocco.web.proxy.UpstreamStats;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A running {@code sirocco serve}: starts the server, reloads it when its configuration changes,
 * and drains it at the end. {@link #run} does all of this until a signal ends it. Any thread.
 */
final class Serving implements AutoCloseable, Subject {
    private static final LazyLogger LOG = LazyLogger.of(Serving.class);

    /** The exit status after an event loop has died; a JVM that is out of memory has the same. */
    static final int FAILED = 3;

    private final Source source;
    private final SharedState sharedState = SharedState.create();
    private final Welcome welcome = new Welcome(this::server);
    private final CountDownLatch drainAsked = new CountDownLatch(1);
    private final CountDownLatch loopDied = new CountDownLatch(1);
    private final CertificateExpiry expiry = new CertificateExpiry(this::certificates);
    private volatile boolean failed; // a loop has died
    private volatile Optional<Channels> channels; // present once they are switched on
    private final Server server;
    private volatile Assembly assembly;
    private Configuration running; // the settings in effect
    private volatile State state = State.STARTING;
    private Optional<Admin> admin = Optional.empty();
    private Optional<Watch> watch = Optional.empty();

    private Serving(Source source) throws InvalidConfiguration, IOException {
        this.source = source;
        Configuration configuration = source.load();
        if (!configuration.log().isUsual()) { // the default does not need the log of the JDK
            Logging.change(Log.USUAL, configuration.log());
        }
        configuration.warnings().forEach(warning -> LOG.get().log(Level.WARNING, line(warning)));
        Optional<Channels> opened = Optional.empty();
        try {
            opened = channels(configuration);
            assembly = new Assembly(configuration, sharedState, Optional.empty());
            running = configuration;
            channels = opened;
            server = created(assembly);
        } catch (InvalidConfiguration e) {
            opened.ifPresent(Channels::close);
            throw withAll(e, configuration);
        } catch (IOException | RuntimeException e) {
            opened.ifPresent(Channels::close);
            throw e;
        }
    }

    private InvalidConfiguration withAll(InvalidConfiguration first, Configuration configuration) {
        return Verification.withAll(first, configuration, source.overrides().password());
    }

    private Optional<Channels> channels(Configuration configuration) throws InvalidConfiguration {
        if (!configuration.live().on()) return Optional.empty();
        Optional<String> password = source.overrides().password();
        return Optional.of(Channels.open(configuration, password, sharedState.rejections()));
    }

    private Server created(Assembly first) throws InvalidConfiguration, IOException {
        try {
            return Server.create(
                    first::configure, routes -> first.routes(routes, welcome, channels));
        } catch (ConfigError e) {
            first.close();
            throw e.invalid(first.configuration());
        } catch (IllegalArgumentException e) {
            first.close();
            throw new IOException(e.getMessage(), e);
        }
    }

    /**
     * Starts to serve.
     *
     * @throws InvalidConfiguration with everything that is wrong
     * @throws IOException with a message for the user
     */
    static Serving open(Source source) throws InvalidConfiguration, IOException {
        var serving = new Serving(source);
        try {
            serving.start();
            return serving;
        } catch (InvalidConfiguration | IOException e) {
            serving.close();
            throw e;
        }
    }

    private synchronized void start() throws InvalidConfiguration, IOException {
        Configuration configuration = assembly.configuration();
        Optional<InvalidConfiguration> noAdmin = Optional.empty();
        try {
            admin = admin(configuration); // first, so that clients find it when they are served
        } catch (InvalidConfiguration e) {
            noAdmin = Optional.of(e);
        }
        try {
            server.start();
        } catch (UncheckedIOException e) {
            throw unbindable(configuration, e);
        }
        if (noAdmin.isPresent()) throw noAdmin.get();
        assembly.activate(server);
        if (!configuration.files().isEmpty() && configuration.server().reload()) {
            watch = Optional.of(Watch.start(configuration, this::reloadOrLog));
        }
        TlsOptions.selfSigned(configuration, server.addresses())
                .ifPresent(message -> LOG.get().log(Level.INFO, message));
        expiry.look();
        if (configuration.log().file() instanceof LogFile.Named) {
            LOG.get().log(Level.INFO, "started sirocco " + Version.build() + ": " + line());
        }
        server.failure().thenAccept(this::failed);
        if (!failed && state == State.STARTING) state = State.SERVING;
    }

    private Optional<Admin> admin(Configuration configuration)
            throws InvalidConfiguration, IOException {
        var options = configuration.admin();
        if (options.address().isEmpty()) return Optional.empty();
        Object[] place = {"admin", "address"};
        if (!(Assembly.resolved(options.address().get()) instanceof InetSocketAddress address)) {
            throw configuration.invalid(
                    "the admin server cannot listen on a Unix-domain socket",
                    "write \"127.0.0.1:9180\"",
                    place);
        }
        if (address.isUnresolved()) {
            throw configuration.invalid(
                    "the host \"" + address.getHostString() + "\" cannot be resolved",
                    "write \"127.0.0.1:9180\"",
                    place);
        }
        try {
            return Optional.of(
                    Admin.start(
                            address,
                            options.token(),
                            options.registrationToken(),
                            options.healthOpen(),
                            this,
                            sharedState.metrics()));
        } catch (UncheckedIOException e) {
            throw unbindable(configuration, e.getCause().getMessage(), place);
        } catch (IOException e) {
            throw configuration.invalid(e.getMessage(), "", "admin", "token-file");
        }
    }

    /** Reads the tokens of the admin server again, unless their files wait for the next start. */
    private Runnable newTokens(Configuration configuration) throws InvalidConfiguration {
        var options = running.admin();
        if (admin.isEmpty()) return () -> {};
        try {
            return admin.get().newTokens(options.token(), options.registrationToken());
        } catch (IOException e) {
            throw configuration.invalid(e.getMessage(), "", "admin", "token-file");
        }
    }

    /** Drains the other event loops and ends the process, after one has died. */
    private void failed(Throwable why) {
        failed = true;
        state = State.FAILED;
        loopDied.countDown();
        drainAsked.countDown();
    }

    /** Reports an address that cannot be bound at its option in the file. */
    private static IOException unbindable(Configuration configuration, UncheckedIOException failure)
            throws InvalidConfiguration {
        String why = failure.getCause().getMessage();
        List<Listen> all = configuration.listen();
        for (int i = 0; i < all.size(); i++) {
            if (why.startsWith(
                    "cannot listen on " + Ip.text(Assembly.resolved(all.get(i).address())) + ":")) {
                throw unbindable(configuration, why, "listen", i, "address");
            }
        }
        return new IOException(why, failure);
    }

    private static InvalidConfiguration unbindable(
            Configuration configuration, String why, Object... place) {
        boolean anyPort = why.contains(":0:");
        return configuration.invalid(
                why,
                anyPort ? "" : "another program may be listening there; port 0 selects a free one",
                place);
    }

    // ---- reload

    /**
     * Reads the configuration again and applies all of it, or nothing.
     *
     * @throws InvalidConfiguration with everything that is wrong
     * @throws IOException with a message for the operator
     */
    synchronized void applyConfiguration() throws InvalidConfiguration, IOException {
        watch.ifPresent(Watch::seen);
        Configuration configuration = source.load();
        assembly.configuration().mayBecome(configuration);
        Optional<Channels> all = channels;
        try {
            if (all.isEmpty()) all = channels(configuration);
            apply(configuration, all);
            channels = all;
        } catch (InvalidConfiguration e) {
            throw withAll(e, configuration);
        } finally {
            if (channels.isEmpty()) all.ifPresent(Channels::close);
        }
    }

    private void apply(Configuration configuration, Optional<Channels> all)
            throws InvalidConfiguration, IOException {
        Assembly old = assembly;
        List<String> addresses = summary().urls();
        Runnable newTokens = newTokens(configuration);
        var next = new Assembly(configuration, sharedState, Optional.of(old));
        try {
            Runnable renewal =
                    all.map(running -> running.renewal(configuration.live())).orElse(() -> {});
            Logging.change(old.configuration().log(), configuration.log());
            server.reload(next::configure, routes -> next.routes(routes, welcome, all));
            renewal.run();
        } catch (ConfigError e) {
            discard(next, old);
            throw e.invalid(configuration);
        } catch (IOException e) {
            next.closeExcept(old);
            throw e;
        } catch (IllegalArgumentException e) {
            discard(next, old);
            throw new IOException(e.getMessage(), e);
        } catch (UncheckedIOException e) {
            discard(next, old);
            throw unbindable(configuration, e);
        }
        newTokens.run();
        next.activate(server);
        assembly = next;
        old.closeExcept(next);
        expiry.look();
        next.log().ifPresent(AccessLog::reopen);
        watch.ifPresent(files -> files.follow(configuration));
        List<String> later = running.needsStart(configuration);
        running = running.reloaded(configuration);
        configuration.warnings().forEach(warning -> LOG.get().log(Level.WARNING, line(warning)));
        LOG.get()
                .log(
                        Level.INFO,
                        "reloaded "
                                + configuration
                                + named("; opened ", without(summary().urls(), addresses))
                                + named("; closed ", without(addresses, summary().urls()))
                                + named("; these changes need a restart: ", later));
    }

    private static List<String> without(List<String> all, List<String> others) {
        return all.stream().filter(one -> !others.contains(one)).toList();
    }

    private static String named(String text, List<String> names) {
        return names.isEmpty() ? "" : text + String.join(", ", names);
    }

    private static void discard(Assembly next, Assembly old) throws IOException {
        next.closeExcept(old);
        Logging.change(next.configuration().log(), old.configuration().log());
    }

    private void reopenLogs() {
        Logging.reopen();
        assembly.log().ifPresent(AccessLog::reopen);
    }

    private void reloadOrLog() {
        try {
            applyConfiguration();
        } catch (InvalidConfiguration | IOException e) {
            logRejected(e);
        }
    }

    private static void logRejected(Exception why) {
        LOG.get()
                .log(
                        Level.ERROR,
                        "reload rejected; the old configuration stays in effect:\n"
                                + why.getMessage().stripTrailing());
    }

    private static String line(Problem warning) {
        return warning.toString().stripTrailing();
    }

    // ---- run and stop

    /**
     * Serves until SIGTERM or SIGINT, then drains. Returns the exit status of the process: {@link
     * #FAILED} after an event loop has died. The process ends some seconds after the drain timeout
     * at the latest.
     */
    static int run(Source source, PrintWriter out) throws InvalidConfiguration, IOException {
        var hangUps = new HangUps();
        Serving serving = open(source);
        var end = new LastResort(() -> serving.state() == State.FAILED);
        try (serving) {
            Signals.onStop(
                    () -> {
                        Duration longest = serving.drainDelay().plus(serving.drainTime());
                        end.after(longest, serving.failed ? FAILED : 0);
                        serving.drain();
                    });
            serving.server.failure().thenAccept(why -> end.after(serving.drainTime(), FAILED));
            Signals.onReopen(serving::reopenLogs);
            if (source.file().isPresent()) {
                Signals.onHangUp(hangUps);
                hangUps.handledBy(serving::reloadOrLog);
            }
            // Other ways to end the JVM drain as well, such as SIGHUP of a closed terminal.
            Runtime.getRuntime().addShutdownHook(new Thread(serving::close, "sirocco-drain"));
            out.println(serving.line());
            out.flush();
            serving.drainAsked.await();
            serving.announceDrain();
            if (serving.failed) return FAILED;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the interrupt asks this command to end
        } catch (OutOfMemoryError e) {
            if (serving.state() != State.FAILED) throw e;
            end.await(); // left to itself, the JVM would end with 1
        }
        return 0;
    }

    /**
     * Goes on to serve until load balancers have noticed that the server is not ready: for the
     * drain delay, or until an event loop dies.
     */
    private void announceDrain() throws InterruptedException {
        Duration delay = drainDelay();
        if (delay.isZero() || failed) return;
        LOG.get()
                .log(
                        Level.INFO,
                        "draining: accepts connections for {0} ms more",
                        Long.toString(delay.toMillis()));
        server.announceStop();
        loopDied.await(delay.toMillis(), TimeUnit.MILLISECONDS);
    }

    private Duration drainDelay() {
        return assembly.configuration().server().drainDelay();
    }

    private Duration drainTime() {
        return assembly.configuration().server().drain();
    }

    private Server server() {
        return server;
    }

    int port() {
        return server.port();
    }

    Optional<Admin> admin() {
        return admin;
    }

    /** Stops the server; requests in progress have the drain timeout to finish. */
    @Override
    public synchronized void close() {
        if (!failed) state = State.DRAINING;
        watch.ifPresent(Watch::close);
        expiry.close();
        welcome.close();
        if (server.isRunning()) stop();
        channels.ifPresent(Channels::close);
        admin.ifPresent(Admin::close);
        sharedState.registrations().close();
        assembly.close();
    }

    private void stop() {
        Duration longest = drainTime();
        int requests = server.stats().stream().mapToInt(ServerStats::inProgress).sum();
        if (requests > 0) {
            String text =
                    "stopping: waiting up to {0} s for {1,choice,1#1 request|1<{1} requests}"
                            + " in progress";
            LOG.get().log(Level.INFO, text, longest.toSeconds(), requests);
        }
        if (server.stop(longest)) {
            LOG.get().log(Level.INFO, "stopped");
        } else {
            String text =
                    "stopped after the drain timeout of {0} s; requests in progress were cut off";
            LOG.get().log(Level.WARNING, text, longest.toSeconds());
        }
    }

    // ---- for the admin server

    /** A loop that has died reports it after all its connections, or never if the heap is short. */
    @Override
    public State state() {
        return server.hasFailed() ? State.FAILED : state;
    }

    @Override
    public List<ServerStats> stats() {
        return server.isRunning() ? server.stats() : List.of();
    }

    @Override
    public String description() {
        return server.isRunning() ? toString() : "Sirocco is not running";
    }

    @Override
    public Map<String, Long> refusals() {
        return sharedState.rejections().counts();
    }

    @Override
    public Optional<Live> live() {
        return channels.map(Channels::live);
    }

    @Override
    public List<UpstreamStats> upstreams() {
        return assembly.upstreams();
    }

    @Override
    public Optional<Registrations> registrations() {
        return Optional.of(sharedState.registrations());
    }

    @Override
    public Collection<X509Certificate> certificates() {
        return assembly.certificates();
    }

    @Override
    public Map<String, ResponseCache> caches() {
        return assembly.caches();
    }

    @Override
    public long droppedLogLines() {
        return assembly.log().map(AccessLog::dropped).orElse(0L);
    }

    @Override
    public void drain() {
        if (!failed) state = State.DRAINING;
        drainAsked.countDown();
    }

    @Override
    public void reload() throws IOException {
        try {
            applyConfiguration();
        } catch (InvalidConfiguration e) {
            logRejected(e);
            throw new IOException(e.getMessage(), e);
        } catch (IOException e) {
            logRejected(e);
            throw e;
        }
    }

    /** Returns the line for the user: what is served, and where. */
    @Override
    public String toString() {
        return summary().toString();
    }

    /** Returns the same with the pages for operators. */
    private String line() {
        return this + summary().pages(admin);
    }

    private ServingSummary summary() {
        return new ServingSummary(server, assembly, channels);
    }
}

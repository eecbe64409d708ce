// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import io.sirocco.home.KeyRing.Kind;
import io.sirocco.home.lua.LuaRuntime;
import io.sirocco.home.lua.LuaStatus;
import io.sirocco.home.lua.ReportForm;
import io.sirocco.home.lua.ReportSink;
import io.sirocco.home.protocol.Bytes;
import io.sirocco.home.protocol.CipherKey;
import io.sirocco.home.protocol.CluCipher;
import io.sirocco.home.protocol.DatagramWriter;
import io.sirocco.home.protocol.Request;
import io.sirocco.home.protocol.Response;
import io.sirocco.net.Datagrams;
import io.sirocco.net.Loop;
import io.sirocco.net.Loops;
import io.sirocco.net.log.LazyLogger;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The UDP sockets of a controller: decrypts requests, responds to all but scripts itself, and hands
 * those to the thread of the scripts.
 *
 * <p>A datagram under no known key has no response, nor has a script with a wrong address or
 * session. Anything else under a known key that is no request has {@code resp:ERROR}, except on a
 * fortified controller, where it has none: the difference tells an attacker whether the padding was
 * right (Vaudenay, 2002).
 *
 * <p>Loop-confined, except for {@link #send} and the outbox.
 */
final class CluServer implements ReportSink, AutoCloseable {
    private static final LazyLogger LOG = LazyLogger.of(Clu.class);
    private static final int MAX_WAITING = 20_000; // responses and reports
    private static final int MAX_WAITING_CHARACTERS = 16 << 20; // of their values
    private static final int MAX_RESETS = 100; // that wait for one boot
    private static final String CHECK_ALIVE = "checkAlive()";

    private final CluSettings settings;
    private final Inet4Address address;
    private final Identity identity;
    private final KeyFile keyFile;
    private final FileTransfers transfers;
    private final KeyRing keys;
    private final boolean servesFiles; // when it is fortified
    private final ReplayWindow replays; // null unless it is to be fortified
    private final Refusals refusals;
    private final RecentHosts hosts = new RecentHosts();
    private final SecureRandom random = new SecureRandom();
    private final Queue<Outgoing> outbox = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger(); // in the outbox
    private final AtomicInteger waitingCharacters = new AtomicInteger();
    private final AtomicBoolean emptying = new AtomicBoolean(); // the loop empties the outbox soon
    private final DatagramWriter writer = new DatagramWriter();
    private volatile KeyFile.Content content; // written on the loop
    private final Loop loop;
    private Runnable keyChanged; // set before the sockets are open
    private LuaRuntime scripts; // set before the sockets are open
    private volatile Datagrams unicast; // null until it is open
    private Datagrams broadcasts; // null without, and until it is open
    private byte[] sealed = new byte[4_096];
    private boolean settingKey;
    private CompletableFuture<LuaStatus> boot; // that the last resets wait for; null at first
    private Queue<Outgoing> resets = new ArrayDeque<>(); // the responses to them
    private boolean flushing;
    private boolean writing; // of requests to the file, at the end of the turn
    private final DiscoveryLimit discoveries = new DiscoveryLimit();

    /**
     * A response or a report on its way to the loop.
     *
     * @param key null for the project key of the moment at which it is sent
     */
    private record Outgoing(KeyRing.Key key, Response response, InetSocketAddress to) {
        int characters() {
            return response instanceof Response.Lua lua ? lua.value().length() : 0;
        }
    }

    /**
     * @param loop of the sockets
     */
    CluServer(
            Loop loop,
            CluSettings settings,
            Identity identity,
            KeyFile keyFile,
            KeyFile.Content content,
            FileTransfers transfers) {
        this.loop = loop;
        this.settings = settings;
        this.address = settings.address;
        this.identity = identity;
        this.keyFile = keyFile;
        this.content = content;
        this.transfers = transfers;
        this.keys = new KeyRing(content, random);
        this.servesFiles = settings.fortifiedTftp;
        this.replays =
                settings.fortified ? new ReplayWindow(ReplayFile.open(settings.directory)) : null;
        this.refusals = new Refusals(loop, line -> scripts.log().add(Level.WARNING, line));
    }

    /**
     * Opens the sockets. Requests may come before it returns. Blocks; not for the thread of the
     * loop.
     *
     * @param loops has the loop of this server alone
     * @param keyChanged is called after a client has set the project key, on a thread that may
     *     block
     * @throws IOException if an address cannot be bound
     */
    void open(Loops loops, LuaRuntime scripts, Runnable keyChanged) throws IOException {
        this.scripts = scripts;
        this.keyChanged = keyChanged;
        var own = new InetSocketAddress(address, settings.port);
        unicast =
                loops.datagrams(
                        own,
                        options -> options.broadcast(true).reuseAddress(settings.broadcasts),
                        this::receivedUnicast);
        if (settings.broadcasts) {
            broadcasts =
                    loops.datagrams(
                            new InetSocketAddress("0.0.0.0", unicast.address().getPort()),
                            options -> options.broadcast(true).reuseAddress(true),
                            this::receivedBroadcast);
        }
    }

    /** Returns the project key. Any thread. */
    CipherKey projectKey() {
        return content.key();
    }

    /** Returns the address that it is bound to. Any thread. */
    InetSocketAddress address() {
        return unicast.address();
    }

    /** Closes the file of requests, after the loop has ended. Any thread. */
    void end() {
        if (replays != null) {
            try {
                replays.close();
            } catch (IOException e) {
                LOG.get().log(Level.WARNING, "the file of requests cannot be closed", e);
            }
        }
    }

    /** Closes the sockets. Any thread but that of the loop. */
    @Override
    public void close() {
        if (unicast != null) {
            unicast.close();
        }
        if (broadcasts != null) {
            broadcasts.close();
        }
    }

    // Requests

    private void receivedUnicast(
            Datagrams socket, byte[] bytes, int length, InetSocketAddress from) {
        if (unicast == null) { // open() has not gone on yet
            unicast = socket;
        }
        KeyRing.DecryptedRequest opened = keys.openUnicast(bytes, length);
        if (opened == null) {
            refusals.add(Refusals.Reason.UNDECIPHERABLE, from.getAddress());
            return;
        }
        if (isFortified() && !isGenuine(opened, bytes, length, from)) {
            return;
        }
        respond(opened, from);
    }

    private void receivedBroadcast(
            Datagrams socket, byte[] bytes, int length, InetSocketAddress from) {
        KeyRing.DecryptedRequest opened = keys.openBroadcast(bytes, length);
        if (opened == null || isFortified() && !isGenuine(opened, bytes, length, from)) {
            return;
        }
        switch (opened.request()) {
            case Request.Discovery discovery -> discover(discovery, from);
            case Request.SetIp ip when isOwn(ip) -> send(opened.key(), ownAddress(), from);
            default -> {}
        }
    }

    /** Returns whether it accepts nothing without its project key. Any thread. */
    boolean isFortified() {
        return settings.fortified && content.hasProjectKey();
    }

    /** Returns whether a request to a fortified controller may have a response and an effect. */
    private boolean isGenuine(
            KeyRing.DecryptedRequest opened, byte[] bytes, int length, InetSocketAddress from) {
        if (opened.key().kind() == Kind.BROADCAST) {
            return false; // discoveries are for all controllers of the network
        }
        Refusals.Reason reason =
                opened.key().kind() == Kind.PROJECT
                        ? reasonToRefuse(opened.request(), bytes, length, from)
                        : Refusals.Reason.NOT_ALLOWED;
        if (reason != null) {
            refusals.add(reason, from.getAddress());
        }
        return reason == null;
    }

    /** Returns why a request under the project key has no effect; null if it has. */
    private Refusals.Reason reasonToRefuse(
            Request request, byte[] bytes, int length, InetSocketAddress from) {
        return switch (request) {
            case Request.StartTftp start when !servesFiles -> Refusals.Reason.NOT_ALLOWED;
            case Request.Measurements measurements when !servesFiles -> Refusals.Reason.NOT_ALLOWED;
            case Request.Lua lua ->
                    isText(lua.script())
                            ? reasonToRefuse(
                                    session(lua.host(), lua.session()), bytes, length, from)
                            : Refusals.Reason.CHANGED;
            case Request.Measurements measurements ->
                    isText(measurements.argument())
                            ? reasonToRefuse(
                                    session(measurements.host(), measurements.session()),
                                    bytes,
                                    length,
                                    from)
                            : Refusals.Reason.CHANGED;
            case Request.CheckAlive alive ->
                    reasonToRefuse(session(alive.host(), alive.session()), bytes, length, from);
            case Request.Unknown unknown -> Refusals.Reason.NOT_ALLOWED;
            case Request.Malformed malformed -> Refusals.Reason.CHANGED;
            case Request.SetKey set -> Refusals.Reason.NOT_ALLOWED; // nothing in it proves the IV
            case Request.Discovery discovery -> Refusals.Reason.NOT_ALLOWED; // nor its bytes
            default -> {
                boolean isNew = replays.isNew(bytes, length);
                replays.write(); // now: its effect begins before writeRequests() would run
                yield isNew || hosts.mayRepeat(from.getAddress(), loop.now())
                        ? null
                        : Refusals.Reason.COPY;
            }
        };
    }

    /** Returns a host and its session as one number, for the window of requests. */
    private static long session(Inet4Address host, int session) {
        return (long) host.hashCode() << Integer.SIZE | session & 0xffff_ffffL;
    }

    /**
     * A request that is joined of recorded ones has the session of the first of them. Sessions may
     * repeat by chance, so those of the past are refused only after attempts to join requests.
     */
    private Refusals.Reason reasonToRefuse(
            long session, byte[] bytes, int length, InetSocketAddress from) {
        if (refusals.areSuspicious() && replays.hasSession(session)
                || !replays.isNew(bytes, length, session)) {
            return Refusals.Reason.COPY;
        }
        writeRequests();
        hosts.add(from.getAddress(), loop.now());
        return null;
    }

    /**
     * Writes the requests of this turn to the file once, before the values of scripts leave, which
     * the loop sends later. A script may have begun by then; {@code resp_check_alive} has left, but
     * a copy of its request does no harm.
     */
    private void writeRequests() {
        if (!writing) {
            writing =
                    execute(
                            () -> {
                                writing = false;
                                replays.write();
                            });
        }
    }

    /** Returns how many requests had no effect. Any thread. */
    RefusedRequests refused() {
        return refusals.counts();
    }

    /** A block that was changed on its way decrypts to 16 random bytes, which are no text. */
    private static boolean isText(String script) {
        return script.chars()
                .allMatch(
                        c ->
                                c != '\ufffd'
                                        && (c >= ' ' && c != 0x7f
                                                || c == '\t'
                                                || c == '\n'
                                                || c == '\r'));
    }

    private void respond(KeyRing.DecryptedRequest opened, InetSocketAddress from) {
        KeyRing.Key key = opened.key();
        boolean project = key.kind() == Kind.PROJECT;
        switch (opened.request()) {
            case Request.Lua lua when project || lua.script().equalsIgnoreCase(CHECK_ALIVE) ->
                    call(lua, key, from);
            case Request.CheckAlive alive when project ->
                    send(key, new Response.CheckAlive(identity.serial()), from);
            case Request.SetIp ip when isOwn(ip) -> send(key, ownAddress(), from);
            case Request.SetKey set -> setKey(set, key, from);
            case Request.Reset reset -> reset(key, from);
            case Request.StartTftp start when project -> startTftp(key, new Response.Ok(), from);
            case Request.StopTftp stop when project ->
                    transfers.close(() -> hand(key, new Response.Ok(), from));
            case Request.Measurements measurements when project ->
                    startTftp(
                            key, new Response.Measurements(address, measurements.session()), from);
            case Request.MeasurementsDownloaded done when project ->
                    send(key, new Response.Measurements(done.clu(), done.session()), from);
            case Request.Malformed malformed ->
                    refusals.add(Refusals.Reason.CHANGED, from.getAddress());
            default -> {
                refusals.add(Refusals.Reason.NOT_ALLOWED, from.getAddress());
                send(key, new Response.Failed(), from);
            }
        }
    }

    private boolean isOwn(Request.SetIp ip) {
        return ip.serial() == identity.serial() && ip.address().equals(address);
    }

    private Response ownAddress() {
        return new Response.SetIp(identity.serial(), address);
    }

    private void discover(Request.Discovery discovery, InetSocketAddress from) {
        if (isFortified() || !discoveries.admits(from.getAddress(), loop.now())) {
            return;
        }
        Bytes iv = keys.armTemporaryKey();
        var response =
                new Response.Discovery(
                        keys.prove(discovery.challenge()),
                        iv,
                        identity.serial(),
                        identity.macNumber());
        var cipher = new CluCipher(CipherKey.grenton(discovery.iv()));
        send(new KeyRing.Key(Kind.BROADCAST, cipher), response, from);
    }

    private void call(Request.Lua lua, KeyRing.Key key, InetSocketAddress from) {
        boolean taken =
                scripts.submit(
                        lua.script(),
                        from,
                        value -> hand(key, new Response.Lua(address, lua.session(), value), from));
        if (!taken) {
            refusals.add(Refusals.Reason.BUSY, from.getAddress());
            hand(key, new Response.Lua(address, lua.session(), "nil"), from);
            return;
        }
        if (!flushing) { // all scripts of this turn wake the thread once
            flushing =
                    execute(
                            () -> {
                                flushing = false;
                                scripts.flush();
                            });
        }
    }

    /** The key is on the disk before the client knows that it is set. */
    private void setKey(Request.SetKey set, KeyRing.Key key, InetSocketAddress from) {
        if (settingKey) {
            return;
        }
        settingKey = true;
        KeyFile.Content next = content.withProjectKey(set.key());
        Thread.ofVirtual()
                .name("sirocco-home-keys")
                .start(
                        () -> {
                            boolean written = write(next);
                            execute(
                                    () -> {
                                        settingKey = false;
                                        if (written) {
                                            content = next;
                                            keys.setProjectKey(set.key());
                                            send(keys.project(), new Response.Ok(), from);
                                            Thread.ofVirtual()
                                                    .name("sirocco-home-new-key")
                                                    .start(keyChanged);
                                        } else {
                                            send(key, new Response.Failed(), from);
                                        }
                                    });
                        });
    }

    private boolean write(KeyFile.Content next) {
        try {
            keyFile.write(next);
            LOG.get().log(Level.INFO, "a client has set the project key");
            return true;
        } catch (IOException e) {
            LOG.get().log(Level.ERROR, "the project key stays as it is: {0}", e.getMessage());
            return false;
        } catch (RuntimeException | Error e) { // or no key could be set any more
            LOG.get().log(Level.ERROR, "the project key stays as it is", e);
            return false;
        }
    }

    /** Resets the controller; completes when its scripts run again. Any thread. */
    CompletableFuture<LuaStatus> reset() {
        var dropped = new CompletableFuture<Void>();
        if (!execute(
                () -> {
                    keys.reset();
                    dropped.complete(null);
                })) {
            dropped.complete(null); // the loop has ended
        }
        transfers.close(() -> {});
        return scripts.reset().thenCombine(dropped, (status, none) -> status);
    }

    /** Each reset has its effect; of those that wait for the same boot the last are answered. */
    private void reset(KeyRing.Key key, InetSocketAddress from) {
        keys.reset();
        transfers.close(() -> {});
        CompletableFuture<LuaStatus> next = scripts.reset();
        if (next != boot) {
            boot = next;
            Queue<Outgoing> answers = new ArrayDeque<>();
            resets = answers;
            next.whenComplete(
                    (status, failure) ->
                            execute(
                                    () ->
                                            answers.forEach(
                                                    each ->
                                                            attempt(
                                                                    each.key,
                                                                    failure == null
                                                                            ? each.response
                                                                            : new Response.Failed(),
                                                                    each.to))));
        }
        if (resets.size() == MAX_RESETS) {
            resets.remove();
        }
        resets.add(new Outgoing(key, new Response.Reset(address), from));
    }

    private void startTftp(KeyRing.Key key, Response response, InetSocketAddress from) {
        transfers.admit(
                from.getAddress(),
                started -> hand(key, started ? response : new Response.Failed(), from));
    }

    // Responses

    /** Sends a report to a client that has registered. Any thread. */
    @Override
    public void send(Report report) {
        boolean ofVendor = settings.reports == ReportForm.QUOTED || report.host().isEmpty();
        Inet4Address named = ofVendor ? address : (Inet4Address) report.host().orElseThrow();
        int session = ofVendor ? 0 : random.nextInt();
        hand(null, new Response.Lua(named, session, report.value()), report.to());
    }

    /** Hands a response to the loop. Any thread. */
    private void hand(KeyRing.Key key, Response response, InetSocketAddress to) {
        var next = new Outgoing(key, response, to);
        int characters = next.characters();
        if (waiting.get() >= MAX_WAITING
                || waitingCharacters.get() + characters > MAX_WAITING_CHARACTERS) {
            return;
        }
        outbox.add(next);
        waitingCharacters.addAndGet(characters);
        waiting.incrementAndGet();
        if (emptying.compareAndSet(false, true)) {
            boolean handed = false;
            try {
                handed = execute(this::empty);
            } finally {
                if (!handed) {
                    emptying.set(false); // the next response tries again
                }
            }
        }
    }

    private void empty() {
        emptying.set(false); // a response that comes from now on has its own turn
        for (int i = waiting.get(); i > 0; i--) {
            Outgoing next = outbox.poll();
            if (next == null) {
                return;
            }
            waiting.decrementAndGet();
            waitingCharacters.addAndGet(-next.characters());
            attempt(next.key == null ? keys.project() : next.key, next.response, next.to);
        }
    }

    /** Sends a response; one that fails must not keep those behind it. */
    private void attempt(KeyRing.Key key, Response response, InetSocketAddress to) {
        try {
            send(key, response, to);
        } catch (RuntimeException | Error e) {
            LOG.get().log(Level.ERROR, "a response is lost", e);
        }
    }

    /** Returns false when the loop has ended, and the sockets with it. */
    private boolean execute(Runnable task) {
        try {
            loop.execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    private void send(KeyRing.Key key, Response response, InetSocketAddress to) {
        Datagrams socket = unicast;
        if (socket == null) {
            return; // a report of scripts that have booted first
        }
        int length = writer.write(response);
        int size = CluCipher.encryptedLength(length);
        if (size > Datagrams.MAX_SIZE) {
            LOG.get().log(Level.WARNING, "a value of {0} bytes is too long to send", length);
            return;
        }
        if (sealed.length < size) {
            sealed = new byte[Datagrams.MAX_SIZE];
        }
        key.cipher().encrypt(writer.bytes(), 0, length, sealed);
        try {
            socket.send(sealed, size, to);
        } catch (IOException e) {
            LOG.get().log(Level.DEBUG, "cannot respond to " + to, e);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

import java.lang.System.Logger.Level;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaNumber;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;

/**
 * The registrations of clients that receive values every second. A registration does not expire:
 * Object Manager never renews its own. Instead 64 are kept, and a new one replaces one of the host
 * that has the most, the one that was renewed longest ago: so neither clients which have gone nor a
 * greedy host can keep out others. Used by one thread, that of the scripts, except for {@link
 * #clients}.
 */
final class Reports {
    private static final int MAX = 64;
    private static final int MAX_VALUES = 256;
    private static final Duration PERIOD = Duration.ofSeconds(1);
    private static final Pattern ADDRESS = Pattern.compile("(\\d{1,3}\\.){3}\\d{1,3}");

    /** Evaluates the text of an entry that is not a table. */
    interface Evaluator {
        LuaValue evaluate(String script);
    }

    /**
     * A client.
     *
     * @param named whether the address is the one that it has named, not its source
     */
    private record Key(InetAddress host, int port, String id, boolean named) {}

    private record Registration(Optional<InetAddress> source, List<LuaValue> entries) {
        /** Returns the host that has asked for it. */
        InetAddress from(Key key) {
            return source.orElse(key.host());
        }
    }

    private final ScriptThread scripts;
    private final ReportSink sink;
    private final ReportForm form;
    private final Evaluator evaluator;
    private final BooleanSupplier ending; // all tasks are stopped
    private final ScriptLog log;
    private final Map<Key, Registration> registrations = new LinkedHashMap<>();
    private final Set<Key> busy = new HashSet<>(); // their report is being made, or waits
    private boolean scheduled;
    private volatile List<ReportClient> clients = List.of(); // written on the thread

    Reports(
            ScriptThread scripts,
            ReportSink sink,
            ReportForm form,
            Evaluator evaluator,
            BooleanSupplier ending,
            ScriptLog log) {
        this.scripts = scripts;
        this.sink = sink;
        this.form = form;
        this.evaluator = evaluator;
        this.ending = ending;
        this.log = log;
    }

    /**
     * Registers a client, or renews its registration.
     *
     * @param arguments the address of the client, its port, its id, and the list of entries; or 0,
     *     its id, a number that means nothing here, and the list: then reports go to the address
     *     and port from which the call has come
     * @param caller the address and port from which the call has come
     * @return the first report
     */
    LuaValue register(Varargs arguments, Optional<InetSocketAddress> caller) {
        Key key = key(arguments, caller);
        Optional<InetAddress> source = caller.map(InetSocketAddress::getAddress);
        List<LuaValue> entries = entries(arguments.checktable(4));
        registrations.remove(key); // so that it becomes the youngest
        if (registrations.size() == MAX) {
            Key gone = leastDeserving(source.orElse(key.host()));
            registrations.remove(gone);
            log.add(
                    Level.WARNING,
                    "clientRegister: "
                            + gone.host().getHostAddress()
                            + ":"
                            + gone.port()
                            + " receives no more reports, there are more than "
                            + MAX
                            + " clients");
        }
        registrations.put(key, new Registration(source, entries));
        list();
        scheduleNext();
        return LuaValue.valueOf(value(key, entries));
    }

    /**
     * Returns the oldest registration of the host that has the most.
     *
     * @param next the host that is to have one more
     */
    private Key leastDeserving(InetAddress next) {
        Map<InetAddress, Integer> counts = new HashMap<>();
        counts.put(next, 1);
        registrations.forEach((key, each) -> counts.merge(each.from(key), 1, Integer::sum));
        int most =
                registrations.entrySet().stream()
                        .mapToInt(each -> counts.get(each.getValue().from(each.getKey())))
                        .max()
                        .orElseThrow();
        return registrations.entrySet().stream()
                .filter(each -> counts.get(each.getValue().from(each.getKey())) == most)
                .findFirst()
                .orElseThrow()
                .getKey();
    }

    /** Ends a registration, named as it was registered; returns the id of the client. */
    LuaValue destroy(Varargs arguments, Optional<InetSocketAddress> caller) {
        Key key = key(arguments, caller);
        registrations.remove(key);
        list();
        return arguments.arg(key.named() ? 3 : 2);
    }

    /** Returns the registered clients, the one renewed last at the end. Any thread. */
    List<ReportClient> clients() {
        return clients;
    }

    private void list() {
        clients =
                registrations.entrySet().stream()
                        .map(
                                each ->
                                        new ReportClient(
                                                each.getKey().host().getHostAddress(),
                                                each.getKey().port(),
                                                each.getKey().id(),
                                                each.getValue().entries().size()))
                        .toList();
    }

    /** Returns {@code values:{VALUES}}. */
    LuaValue fetch(LuaValue list) {
        return LuaValue.valueOf("values:" + values(entries(list.checktable())));
    }

    private static Key key(Varargs arguments, Optional<InetSocketAddress> caller) {
        if (arguments.arg1() instanceof LuaNumber && arguments.arg1().todouble() == 0) {
            InetSocketAddress from =
                    caller.orElseThrow(
                            () ->
                                    new LuaError(
                                            "the address 0 stands for that of a client; this call"
                                                    + " has none: name an IPv4 address"));
            return new Key(from.getAddress(), from.getPort(), id(arguments, 2), false);
        }
        InetAddress host = host(arguments.checkjstring(1));
        int port = arguments.checkint(2);
        if (port < 1 || port > 65_535) {
            throw new LuaError("the port must be 1 to 65535, not " + port);
        }
        return new Key(host, port, id(arguments, 3), true);
    }

    private static String id(Varargs arguments, int index) {
        String id = arguments.checkjstring(index);
        if (id.length() > 64) {
            throw new LuaError("the id of a client has up to 64 characters");
        }
        return id;
    }

    private static InetAddress host(String text) {
        InetAddress host;
        try {
            if (text.length() > 15 || !ADDRESS.matcher(text).matches()) {
                throw new IllegalArgumentException(text);
            }
            host = Inet4Address.ofLiteral(text);
        } catch (IllegalArgumentException e) {
            throw new LuaError(
                    "the first argument must be an IPv4 address, or 0 for that of the call");
        }
        if (host.isMulticastAddress() || host.isAnyLocalAddress() || text.startsWith("255.")) {
            throw new LuaError(text + " is no address of one client");
        }
        return host;
    }

    private static List<LuaValue> entries(LuaTable list) {
        int length = list.length();
        if (length < 0 || length > MAX_VALUES) {
            throw new LuaError("a client may ask for " + MAX_VALUES + " values, not " + length);
        }
        List<LuaValue> entries = new ArrayList<>(length);
        for (int i = 1; i <= length; i++) {
            entries.add(list.get(i));
        }
        return List.copyOf(entries);
    }

    private void scheduleNext() {
        if (!scheduled && !registrations.isEmpty()) {
            scheduled = true;
            scripts.schedule("reports to clients", PERIOD, this::send);
        }
    }

    private void send() {
        scheduled = false;
        scheduleNext();
        for (Map.Entry<Key, Registration> each : List.copyOf(registrations.entrySet())) {
            Key key = each.getKey();
            Registration to = each.getValue();
            if (busy.add(key) && !scripts.execute("report to a client", () -> send(key, to))) {
                busy.remove(key);
            }
        }
    }

    /** Sends one report, as a task of its own; one that exceeds a limit is the last. */
    private void send(Key key, Registration to) {
        String value;
        try {
            if (registrations.get(key) != to) {
                return; // ended or renewed meanwhile
            }
            value = value(key, to.entries());
        } catch (ScriptStopped e) {
            if (!ending.getAsBoolean() && registrations.remove(key, to)) {
                list();
                log.add(
                        Level.WARNING,
                        "clientRegister: "
                                + key.host().getHostAddress()
                                + ":"
                                + key.port()
                                + " receives no more reports, its values exceed a limit");
            }
            throw e;
        } finally {
            busy.remove(key);
        }
        send(key, key.host(), value);
        to.source()
                .filter(source -> !source.equals(key.host()))
                .ifPresent(source -> send(key, source, value));
    }

    private void send(Key key, InetAddress destination, String value) {
        Optional<InetAddress> named = key.named() ? Optional.of(key.host()) : Optional.empty();
        sink.send(
                new ReportSink.Report(
                        named, new InetSocketAddress(destination, key.port()), value));
    }

    private String value(Key key, List<LuaValue> entries) {
        return "clientReport:" + key.id() + ":" + values(entries);
    }

    private String values(List<LuaValue> entries) {
        StringBuilder text = new StringBuilder("{");
        String separator = "";
        for (LuaValue entry : entries) {
            text.append(separator).append(value(entry));
            separator = form == ReportForm.PLAIN ? ", " : ",";
        }
        return text.append('}').toString();
    }

    /** Returns the text of one value; nil if reading it fails. */
    private String value(LuaValue entry) {
        try {
            LuaValue value =
                    entry.istable()
                            ? feature(entry.get(1), entry.get(2))
                            : evaluator.evaluate(entry.tojstring());
            return ValueText.inReport(value, form);
        } catch (LuaError e) {
            return "nil";
        }
    }

    private static LuaValue feature(LuaValue object, LuaValue index) {
        return object.istable() ? object.get("get").call(object, index) : LuaValue.NIL;
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.object;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.home.mqtt.Mqtt;
import io.sirocco.home.mqtt.NoMqtt;
import java.io.ByteArrayInputStream;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.luaj.vm2.Globals;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;
import org.luaj.vm2.lib.VarArgFunction;
import org.luaj.vm2.lib.jse.JsePlatform;

/** Objects and their events for tests, on a thread whose clock is moved by hand. */
final class Scripts {
    final ManualScriptThread thread;
    final Globals globals = JsePlatform.standardGlobals();
    final List<String> events = new ArrayList<>();
    ZoneId zone = ZoneId.of("Europe/Warsaw");
    private final Path runtime;
    private final Mqtt mqtt;

    Scripts(String now) {
        this(now, Path.of("/does-not-exist"), new NoMqtt());
    }

    Scripts(String now, Path runtime, Mqtt mqtt) {
        this.thread = new ManualScriptThread(Instant.parse(now));
        this.runtime = runtime;
        this.mqtt = mqtt;
    }

    ObjectContext context() {
        return new ObjectContext(thread, globals, runtime, address(), () -> zone, mqtt);
    }

    private static Inet4Address address() {
        try {
            return (Inet4Address) InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    /** Records the event under a name, with its arguments. */
    void record(HomeObject object, int event, String label) {
        object.addEvent(
                event,
                new VarArgFunction() {
                    @Override
                    public Varargs invoke(Varargs arguments) {
                        var text = new StringBuilder(label);
                        for (int i = 1; i <= arguments.narg(); i++) {
                            text.append(' ').append(arguments.arg(i).tojstring());
                        }
                        events.add(text.toString());
                        return NONE;
                    }
                });
    }

    /** Returns the events so far, and forgets them. */
    List<String> events() {
        thread.run();
        thread.errors().forEach(Scripts::fail);
        List<String> copy = List.copyOf(events);
        events.clear();
        return copy;
    }

    private static void fail(Throwable error) {
        throw new AssertionError(error);
    }

    /** Runs a script; its value. */
    LuaValue lua(String script) {
        var bytes = new ByteArrayInputStream(script.getBytes(UTF_8)); // not LuaJ's own encoding
        return globals.load(bytes, "test", "t", globals).call();
    }

    static Varargs call(HomeObject object, int method, Object... arguments) {
        var values = new LuaValue[arguments.length];
        for (int i = 0; i < values.length; i++) {
            values[i] =
                    switch (arguments[i]) {
                        case LuaValue value -> value;
                        case Integer number -> LuaValue.valueOf(number);
                        case Double number -> LuaValue.valueOf(number);
                        case String text -> LuaValue.valueOf(text);
                        default -> throw new AssertionError(arguments[i]);
                    };
        }
        return object.execute(method, LuaValue.varargsOf(values));
    }

    static void set(HomeObject object, int index, Object value) {
        object.set(
                index,
                switch (value) {
                    case LuaValue lua -> lua;
                    case Integer number -> LuaValue.valueOf(number);
                    case Double number -> LuaValue.valueOf(number);
                    case String text -> LuaValue.valueOf(text);
                    default -> throw new AssertionError(value);
                });
    }

    static String get(HomeObject object, int index) {
        return object.get(index).tojstring();
    }
}

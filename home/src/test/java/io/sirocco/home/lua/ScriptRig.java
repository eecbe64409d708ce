// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

import io.sirocco.home.mqtt.NoMqtt;
import io.sirocco.home.object.HomeObject;
import io.sirocco.home.object.ObjectContext;
import io.sirocco.net.Clock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;

/** A runtime for tests, with scripts in a folder of its own. Any thread. */
final class ScriptRig implements ObjectFactory, AutoCloseable {
    /** What Object Manager writes, shortened. */
    static final String MAIN =
            """
            function checkAlive() return "0d123456" end
            function getVar(name) return _G[name] end
            function setVar(name, value) _G[name] = value end
            require "user"
            SYSTEM.Init()
            repeat SYSTEM.Loop() until 1==2
            """;

    final Path root;
    final LuaRuntime runtime;
    final List<ReportSink.Report> reports = new CopyOnWriteArrayList<>();
    final List<String> events = new CopyOnWriteArrayList<>(); // of the objects
    Function<String, Optional<HomeObject>> objects = name -> Optional.empty();
    volatile ObjectContext context;

    ScriptRig(Path root, Consumer<LuaSettings> configure) {
        this.root = root;
        this.runtime = LuaRuntime.create(root, reports::add, configure);
        script("MAIN.LUA", MAIN);
        script("USER.LUA", "");
    }

    ScriptRig(Path root, Clock clock) {
        this(root, settings -> settings.clock(clock));
    }

    ScriptRig(Path root) {
        this(root, settings -> {});
    }

    ScriptRig script(String name, String text) {
        return script(name, text.getBytes(StandardCharsets.UTF_8));
    }

    ScriptRig script(String name, byte[] text) {
        try {
            Files.createDirectories(root.resolve("a"));
            Files.write(root.resolve("a").resolve(name), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }

    ScriptRig start() {
        await(runtime.start(this));
        return this;
    }

    String value(String script) {
        return await(later(script));
    }

    CompletableFuture<String> later(String script) {
        CompletableFuture<String> value = new CompletableFuture<>();
        if (!runtime.call(script, value::complete)) {
            value.completeExceptionally(new AssertionError("refused"));
        }
        return value;
    }

    String logged() {
        StringBuilder text = new StringBuilder();
        runtime.log().lines().forEach(line -> text.append(line.text()).append('\n'));
        return text.toString();
    }

    static <T> T await(CompletableFuture<T> future) {
        return future.orTimeout(60, TimeUnit.SECONDS).join();
    }

    @Override
    public ObjectContext context(ScriptThread scripts, LuaValue globals) {
        Inet4Address address = (Inet4Address) InetAddress.ofLiteral("10.72.144.1");
        context =
                new ObjectContext(
                        scripts, globals, root, address, () -> ZoneOffset.UTC, new NoMqtt());
        return context;
    }

    @Override
    public Optional<HomeObject> create(
            int type, boolean gate, String name, Varargs arguments, ObjectContext context) {
        return objects.apply(name);
    }

    @Override
    public void close() {
        runtime.close();
    }

    /** An object that records what happens to it. */
    class Recorder extends HomeObject {
        Recorder(String name) {
            super(name, context);
        }

        @Override
        public Varargs execute(int method, Varargs arguments) {
            if (method == 20) {
                throw new IllegalStateException("no project");
            }
            if (method == 1) {
                fire(0, arguments.arg1());
            }
            return LuaValue.varargsOf(LuaValue.valueOf(method), arguments);
        }

        @Override
        public void setUp() {
            events.add(name() + " setUp");
        }

        @Override
        public void loop() {
            events.add(name() + " loop");
        }

        @Override
        public void close() {
            events.add(name() + " close");
        }
    }
}

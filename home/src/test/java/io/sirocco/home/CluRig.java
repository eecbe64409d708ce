// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import io.sirocco.home.lua.LuaStatus;
import io.sirocco.home.protocol.CipherKey;
import io.sirocco.home.protocol.CluCipher;
import io.sirocco.home.protocol.DatagramWriter;
import io.sirocco.home.protocol.Request;
import io.sirocco.home.protocol.Response;
import io.sirocco.home.protocol.ResponseParser;
import io.sirocco.net.Loops;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** A controller on a free loopback port, and a client with a plain socket. */
final class CluRig implements AutoCloseable {
    static final Inet4Address LOOPBACK = (Inet4Address) InetAddress.ofLiteral("127.0.0.1");
    static final String PIN = "00000000";

    /** What Object Manager generates, in short. */
    static final String MAIN =
            """
            CLU = OBJECT:new(0, 0x7f000001, "CLU1")
            function checkAlive() return "0d123456" end
            SYSTEM.Init()
            repeat SYSTEM.Loop() until 1 == 2
            """;

    final Path directory;
    final CipherKey project = CipherKey.random(new SecureRandom());
    final Clu clu;
    final Loops loops = Loops.start(settings -> settings.loops(1).name("test"));
    final DatagramSocket socket = new DatagramSocket(0, LOOPBACK);
    private int last = 0x7e57_0000; // session

    CluRig(Path directory) throws Exception {
        this(directory, MAIN, settings -> {});
    }

    CluRig(Path directory, String main, Consumer<CluSettings> configure) throws Exception {
        this.directory = directory;
        write(directory, main, project);
        clu = start(configure);
    }

    /** Writes the files of a controller. */
    static void write(Path directory, String main, CipherKey project) throws IOException {
        Files.createDirectories(directory.resolve("root/a"));
        Files.writeString(directory.resolve("root/a/CONFIG.JSON"), "{\"sn\":219296854}");
        Files.writeString(directory.resolve("root/a/MAIN.LUA"), main);
        new KeyFile(directory).write(new KeyFile.Content(project, PIN, true));
    }

    Clu start(Consumer<CluSettings> configure) throws Exception {
        Clu started =
                Clu.start(
                        settings -> {
                            settings.directory(directory).address(LOOPBACK).port(0).tftpPort(0);
                            configure.accept(settings);
                        });
        try (CluClient client = client(started, project)) {
            if (started.status() == LuaStatus.STARTING) {
                client.execute("checkAlive()").get(30, TimeUnit.SECONDS);
            }
        }
        return started;
    }

    CluClient client() throws IOException {
        return client(clu, project);
    }

    CluClient client(Clu clu, CipherKey key) throws IOException {
        return CluClient.open(loops, LOOPBACK, clu.address(), key);
    }

    /** Begins a script that goes on until a reset, or that of a manual clock does not end it. */
    void keepBusy() {
        clu.evaluate("(function() CLU:execute(0, 'busy') while true do end end)()");
        while (clu.log().lines().stream().noneMatch(line -> line.text().equals("busy"))) {
            LockSupport.parkNanos(200_000);
        }
    }

    /** Sends a plaintext under a key; returns the bytes of the response, null if there is none. */
    byte[] exchange(CipherKey key, byte[] plaintext) throws IOException {
        return exchange(clu.address(), seal(key, plaintext));
    }

    /**
     * Sends a datagram, and one behind it that certainly has a response: a datagram without a
     * response has none when that of the other has come.
     */
    byte[] exchange(InetSocketAddress to, byte[] datagram) throws IOException {
        send(to, datagram);
        return responseBefore("the last");
    }

    /** Returns a response that comes before that to a further script; null if none does. */
    byte[] responseBefore(String value) throws IOException {
        int session = ++last;
        send(clu.address(), seal(project, new Request.Lua(LOOPBACK, session, "'" + value + "'")));
        byte[] response = null;
        while (true) {
            byte[] bytes = receive();
            if (open(project, bytes) instanceof Response.Lua lua && lua.session() == session) {
                return response;
            }
            response = bytes;
        }
    }

    /** Sends a plaintext under the project key, and waits for the response. */
    Response await(byte[] plaintext) throws IOException {
        send(clu.address(), seal(project, plaintext));
        return open(project, receive());
    }

    /** Waits for the next datagram, up to 30 s. */
    byte[] receive() throws IOException {
        var packet = new DatagramPacket(new byte[65_536], 65_536);
        socket.setSoTimeout(30_000);
        socket.receive(packet);
        return Arrays.copyOf(packet.getData(), packet.getLength());
    }

    void send(InetSocketAddress to, byte[] datagram) throws IOException {
        socket.send(new DatagramPacket(datagram, datagram.length, to));
    }

    static byte[] seal(CipherKey key, Request request) {
        var writer = new DatagramWriter();
        int length = writer.write(request);
        return seal(key, writer.bytes(), length);
    }

    static byte[] seal(CipherKey key, Response response) {
        var writer = new DatagramWriter();
        int length = writer.write(response);
        return seal(key, writer.bytes(), length);
    }

    static byte[] seal(CipherKey key, byte[] plaintext) {
        return seal(key, plaintext, plaintext.length);
    }

    private static byte[] seal(CipherKey key, byte[] plaintext, int length) {
        byte[] sealed = new byte[CluCipher.encryptedLength(length)];
        new CluCipher(key).encrypt(plaintext, 0, length, sealed);
        return sealed;
    }

    /** Returns a response under a key; null for none, or one under another key. */
    static Response open(CipherKey key, byte[] bytes) {
        if (bytes == null) {
            return null;
        }
        byte[] plaintext = new byte[bytes.length];
        int size = new CluCipher(key).decrypt(bytes, 0, bytes.length, plaintext);
        return size < 0 ? null : ResponseParser.parse(plaintext, size);
    }

    @Override
    public void close() {
        socket.close();
        clu.close();
        loops.close();
    }
}

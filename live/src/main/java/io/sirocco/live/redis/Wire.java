// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.net.Socket;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.DefaultJedisSocketFactory;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.JedisSocketFactory;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * One connection to the server, which is never used again after a {@link JedisException} that is no
 * {@link JedisDataException}. Used by one thread, but for {@link #cut}.
 */
final class Wire {
    private volatile Socket socket; // null until there is one
    private volatile boolean cut;
    private Connection connection;

    /**
     * Connects, and shows who we are.
     *
     * @param silence after which reading fails
     * @throws JedisException when that fails
     */
    void open(Terms terms, Duration silence) {
        JedisClientConfig config = config(terms, silence);
        Terms.Door door = terms.door();
        var sockets =
                new DefaultJedisSocketFactory(new HostAndPort(door.host(), door.port()), config);
        connection = new Connection(() -> secured(door, opened(sockets)), config);
    }

    private Socket opened(JedisSocketFactory sockets) {
        Socket opened = sockets.createSocket();
        socket = opened;
        if (cut) {
            cut();
        }
        return opened;
    }

    /** TLS here, and not by Jedis, which does not verify names unless told. */
    private static Socket secured(Terms.Door door, Socket plain) {
        if (!door.tls()) {
            return plain;
        }
        try {
            SSLContext context =
                    door.context().isPresent() ? door.context().get() : SSLContext.getDefault();
            var secure =
                    (SSLSocket)
                            context.getSocketFactory()
                                    .createSocket(plain, door.host(), door.port(), true);
            SSLParameters parameters = secure.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            secure.setSSLParameters(parameters);
            secure.startHandshake();
            return secure;
        } catch (IOException | NoSuchAlgorithmException e) {
            throw new JedisConnectionException("TLS with " + door + ": " + e.getMessage(), e);
        }
    }

    /** Has the server know all scripts. */
    void teach() {
        for (Script script : Script.values()) {
            send(Command.SCRIPT, "LOAD".getBytes(US_ASCII), script.source());
        }
        for (int i = 0; i < Script.values().length; i++) {
            if (receive() instanceof JedisDataException refused) {
                throw refused;
            }
        }
    }

    /** Sends, or will with what follows. */
    void send(Command command, byte[]... arguments) {
        connection.sendCommand(command, arguments);
    }

    /** The next reply; that of an error is a {@link JedisDataException}. */
    Object receive() {
        try {
            return connection.getOne();
        } catch (JedisDataException e) {
            return e;
        }
    }

    /** One command, and its reply. */
    Object ask(Command command, byte[]... arguments) {
        send(command, arguments);
        return connection.getOne();
    }

    /** Ends it now, whatever its thread is waiting for. Any thread. */
    void cut() {
        cut = true;
        Socket open = socket;
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                return; // it is closed then
            }
        }
    }

    private static JedisClientConfig config(Terms terms, Duration silence) {
        Terms.Door door = terms.door();
        int millis = Math.toIntExact(silence.toMillis());
        var config =
                DefaultJedisClientConfig.builder()
                        .connectionTimeoutMillis(Math.toIntExact(terms.deadline().toMillis()))
                        .socketTimeoutMillis(millis)
                        .blockingSocketTimeoutMillis(millis)
                        .database(door.database())
                        .clientName("sirocco");
        door.user().ifPresent(config::user);
        door.password().ifPresent(config::password);
        return config.build();
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.redis;

import static io.sirocco.live.broker.Publications.toAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.live.broker.BrokerException;
import io.sirocco.live.broker.Probe;
import io.sirocco.testkit.FreePort;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;

/** Who may come in, and what of it is told. */
@Tag("peers")
class RedisDoorTest {
    @TempDir private Path folder;

    @Test
    void aPasswordAdmitsAndIsNeverTold() throws Exception {
        try (RedisServer server = RedisServer.start("--requirepass", "p@ss:w/ord")) {
            String door = "127.0.0.1:" + server.port();
            works("redis://:p%40ss%3Aw%2Ford@" + door, c -> {});
            works("redis://" + door, c -> c.password("p@ss:w/ord"));
            BrokerException refused =
                    fails("redis://:secret-but-wrong@" + door, c -> c.database(0));
            assertFalse(refused.getMessage().contains("secret-but-wrong"));
            fails("redis://" + door, c -> {});
        }
    }

    @Test
    void aUserOfTheServerNeedsNoMoreThanTheKeysOfThePrefix() throws Exception {
        try (RedisServer server = RedisServer.start()) {
            try (Jedis client = server.client()) {
                client.aclSetUser(
                        "live",
                        "on",
                        ">secret",
                        "~chat:*",
                        "+@all",
                        "-@admin",
                        "-@dangerous",
                        "+keys");
            }
            String door = "127.0.0.1:" + server.port();
            works("redis://live:secret@" + door, c -> c.prefix("chat"));
            works("redis://" + door, c -> c.prefix("chat").user("live", "secret"));
        }
    }

    @Test
    void servicesWithOtherPrefixesOrDatabasesDoNotMeet() throws Exception {
        try (RedisServer server = RedisServer.start()) {
            var other = new Probe();
            var prefix = new Probe();
            try (RedisBroker one = RedisBroker.at(server.url());
                    RedisBroker two = RedisBroker.at(server.url() + "/3");
                    RedisBroker three = RedisBroker.at(server.url(), c -> c.prefix("x"))) {
                one.start(new Probe());
                two.start(other);
                three.start(prefix);
                one.publish(toAll("1")).toCompletableFuture().get(20, TimeUnit.SECONDS);
                two.publish(toAll("2")).toCompletableFuture().get(20, TimeUnit.SECONDS);
                three.publish(toAll("3")).toCompletableFuture().get(20, TimeUnit.SECONDS);
                other.awaitEvent("2");
                prefix.awaitEvent("3");
                assertEquals(1, other.events().size());
                assertEquals(1, prefix.events().size());
            }
        }
    }

    @Test
    void tlsVerifiesWhoTheServerIs() throws Exception {
        assumeTrue(RedisServer.installed("openssl"), "openssl is not installed");
        Path own = certificate("own", "DNS:localhost");
        Path stranger = certificate("stranger", "DNS:localhost");
        int port = FreePort.tcp();
        try (RedisServer server =
                RedisServer.start(
                        "--tls-port", "" + port,
                        "--tls-cert-file", own.toString(),
                        "--tls-key-file", folder.resolve("own.key").toString(),
                        "--tls-ca-cert-file", own.toString(),
                        "--tls-auth-clients", "no")) {
            SSLContext trust = trust(own);
            works("redis://localhost:" + port, c -> c.tls(trust));
            works("rediss://localhost:" + port, c -> c.tls(trust));
            fails("redis://127.0.0.1:" + port, c -> c.tls(trust)); // not its name
            SSLContext other = trust(stranger);
            fails("redis://localhost:" + port, c -> c.tls(other));
            fails("rediss://localhost:" + port, c -> {}); // not what the JDK trusts
            fails("rediss://127.0.0.1:" + server.port(), c -> {}); // speaks no TLS there
        }
    }

    @Test
    void aUrlSaysAllOfIt() throws Exception {
        assumeTrue(RedisServer.installed("openssl"), "openssl is not installed");
        Path own = certificate("own", "DNS:localhost");
        int port = FreePort.tcp();
        SSLContext before = SSLContext.getDefault();
        try (RedisServer server =
                RedisServer.start(
                        "--requirepass",
                        "p@ss",
                        "--tls-port",
                        "" + port,
                        "--tls-cert-file",
                        own.toString(),
                        "--tls-key-file",
                        folder.resolve("own.key").toString(),
                        "--tls-ca-cert-file",
                        own.toString(),
                        "--tls-auth-clients",
                        "no")) {
            SSLContext.setDefault(trust(own)); // what the JDK trusts
            works("rediss://:p%40ss@localhost:" + port + "/2", c -> {});
            works("rediss://default:p%40ss@localhost:" + port, c -> {});
            fails("rediss://:wrong@localhost:" + port, c -> {});
            fails("rediss://localhost:" + port, c -> {});
            try (Jedis client = server.client()) {
                client.auth("p@ss");
                client.select(2);
                assertTrue(client.exists("sirocco:meta"));
            }
        } finally {
            SSLContext.setDefault(before);
        }
    }

    @Test
    void aRedisClusterIsRefusedByItsName() throws Exception {
        // The default, the other port plus 10,000, may be taken, or above 65,535.
        String bus = "" + FreePort.tcp();
        try (RedisServer server =
                RedisServer.start("--cluster-enabled", "yes", "--cluster-port", bus)) {
            BrokerException refused = fails(server.url(), c -> {}); // it serves nothing yet
            assertTrue(refused.getMessage().contains("Redis Cluster"), refused.getMessage());
            try (Jedis client = server.client()) {
                client.clusterAddSlotsRange(0, 16_383);
            }
            refused = fails(server.url(), c -> {});
            assertTrue(refused.getMessage().contains("Redis Cluster"), refused.getMessage());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://localhost",
                "localhost:6379",
                "redis://",
                "redis://name@localhost",
                "redis://localhost/x",
                "redis://localhost/0/1",
                "redis://localhost?database=1",
                "redis://localhost/1#1",
                "redis://localhost:65536",
                "redis://:pa ss@localhost",
                "redis://:secret@my_redis:65536",
                "redis://:secret@bücher.test",
                "redis://localhost:0"
            })
    void whatIsNoUrlIsRefusedWithoutTellingIt(String url) {
        IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> RedisBroker.at(url));
        assertFalse(refused.getMessage().contains(url));
        assertTrue(refused.getMessage().contains("redis[s]://"));
    }

    @ParameterizedTest
    @CsvSource({
        "redis://my_redis,            my_redis,           6379",
        "redis://u:p%40@MY_redis:1/2, my_redis,           1",
        "rediss://:p@[::1],           [::1],              6379",
        "redis://xn--bcher-kva.test,  xn--bcher-kva.test, 6379"
    })
    void hostsAndPorts(String url, String host, int port) {
        Terms.Door door = RedisSettings.of(url).terms().door();
        assertEquals(host, door.host());
        assertEquals(port, door.port());
        assertEquals(url.contains("p%40"), door.password().equals(Optional.of("p@")));
    }

    @Test
    void settingsThatCannotBeAreRefused() {
        refused(c -> c.prefix(""));
        refused(c -> c.prefix("a b"));
        refused(c -> c.database(-1));
        refused(c -> c.deadline(Duration.ofMillis(1)));
        refused(c -> c.deadline(Duration.ofSeconds(4)).lease(Duration.ofSeconds(7)));
        refused(c -> c.waiting(0, 1));
        refused(c -> c.waiting(1, 0));
    }

    private static void refused(Consumer<RedisSettings> configure) {
        assertThrows(
                IllegalArgumentException.class,
                () -> RedisBroker.at("redis://localhost", configure));
    }

    private static void works(String url, Consumer<RedisSettings> configure) throws Exception {
        try (RedisBroker broker = RedisBroker.at(url, configure)) {
            var probe = new Probe();
            broker.start(probe);
            broker.publish(toAll("1")).toCompletableFuture().get(20, TimeUnit.SECONDS);
            probe.awaitEvent("1");
        }
    }

    private static BrokerException fails(String url, Consumer<RedisSettings> configure) {
        try (RedisBroker broker = RedisBroker.at(url, configure)) {
            return assertThrows(BrokerException.class, () -> broker.start(new Probe()));
        }
    }

    private Path certificate(String name, String alternative) throws Exception {
        Path file = folder.resolve(name + ".crt");
        Process openssl =
                new ProcessBuilder(
                                "openssl",
                                "req",
                                "-x509",
                                "-newkey",
                                "ec",
                                "-pkeyopt",
                                "ec_paramgen_curve:prime256v1",
                                "-nodes",
                                "-days",
                                "2",
                                "-subj",
                                "/CN=" + name,
                                "-addext",
                                "subjectAltName=" + alternative,
                                "-keyout",
                                folder.resolve(name + ".key").toString(),
                                "-out",
                                file.toString())
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve("openssl").toFile())
                        .start();
        assertEquals(0, openssl.waitFor(), () -> name);
        return file;
    }

    private static SSLContext trust(Path certificate) throws Exception {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null);
        try (InputStream in = Files.newInputStream(certificate)) {
            store.setCertificateEntry(
                    "own", CertificateFactory.getInstance("X.509").generateCertificate(in));
        }
        var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, factory.getTrustManagers(), null);
        return context;
    }
}

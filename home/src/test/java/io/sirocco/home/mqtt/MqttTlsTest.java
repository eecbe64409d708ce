// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.mqtt;

import static io.sirocco.home.mqtt.Mosquitto.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** TLS to a real mosquitto, with certificates that openssl makes. */
@Tag("peers")
class MqttTlsTest {
    private final CapturedLog log = new CapturedLog();
    private final MqttConnection mqtt =
            new MqttConnection(Duration.ofMillis(20), Duration.ofMillis(100), log::add);
    @TempDir private Path folder;
    private Path certificates;

    @BeforeEach
    void certificates() throws IOException {
        certificates = Files.createDirectory(folder.resolve("mqtt"));
        for (String authority : List.of("ca", "stranger")) {
            openssl(
                    "req -x509 -newkey rsa:2048 -nodes -keyout %1$s.key -out %1$s.crt -days 30 -subj /CN=%1$s",
                    authority);
        }
        signed("broker", "IP:127.0.0.1");
        signed("elsewhere", "DNS:example.com");
        signed("client", "DNS:client");
    }

    @AfterEach
    void close() {
        mqtt.close();
        log.close();
    }

    private void signed(String name, String host) throws IOException {
        Files.writeString(folder.resolve(name + ".ext"), "subjectAltName=" + host + "\n");
        openssl("req -newkey rsa:2048 -nodes -keyout %1$s.key -out %1$s.csr -subj /CN=%1$s", name);
        openssl(
                "x509 -req -in %1$s.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 30 -extfile %1$s.ext -out %1$s.crt",
                name);
    }

    private void openssl(String arguments, String name) throws IOException {
        List<String> command =
                Stream.concat(Stream.of("openssl"), Stream.of(arguments.formatted(name).split(" ")))
                        .toList();
        Process process =
                new ProcessBuilder(command)
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.onExit().join().exitValue(), output);
    }

    private void use(String from, String as) throws IOException {
        Files.copy(
                folder.resolve(from),
                certificates.resolve(as),
                StandardCopyOption.REPLACE_EXISTING);
    }

    private Mosquitto broker(String certificate, String... more) throws IOException {
        var lines =
                Stream.concat(
                        Stream.of(
                                "allow_anonymous true",
                                "cafile " + folder.resolve("ca.crt"),
                                "certfile " + folder.resolve(certificate + ".crt"),
                                "keyfile " + folder.resolve(certificate + ".key")),
                        Stream.of(more));
        return Mosquitto.start(lines.toArray(String[]::new));
    }

    private void connect(Mosquitto broker) {
        mqtt.connect(
                MqttSettings.of(
                        "ssl://127.0.0.1:" + broker.port, "CLU1", "homeassistant", certificates));
    }

    private void failsWith(String what) {
        await(what, () -> !log.containing("no connection to the MQTT broker ssl").isEmpty());
        String failure = log.containing("no connection to the MQTT broker ssl").getFirst();
        assertEquals(List.of(failure), log.containing(what), failure);
        assertFalse(mqtt.connected());
    }

    @Test
    void brokerOfTheAuthorityIsTrusted() throws IOException {
        use("ca.crt", "ca.crt");
        try (Mosquitto broker = broker("broker")) {
            connect(broker);
            await("connected", mqtt::connected);
        }
    }

    @Test
    void clientShowsItsCertificate() throws IOException {
        use("ca.crt", "ca.crt");
        use("client.crt", "certificate.crt");
        use("client.key", "key.pem");
        try (Mosquitto broker = broker("broker", "require_certificate true")) {
            connect(broker);
            await("connected", mqtt::connected);
        }
    }

    @Test
    void clientWithoutCertificateIsRefused() throws IOException {
        use("ca.crt", "ca.crt");
        try (Mosquitto broker = broker("broker", "require_certificate true")) {
            connect(broker);
            await("refused", () -> broker.log().contains("peer did not return a certificate"));
            failsWith("the broker wants a certificate of this controller that it trusts; put");
            use("client.crt", "certificate.crt");
            use("client.key", "key.pem");
            await("connected", mqtt::connected);
        }
    }

    @Test
    void brokerOfAStrangerIsNotTrustedUntilTheFileIsReplaced() throws IOException {
        use("stranger.crt", "ca.crt");
        try (Mosquitto broker = broker("broker")) {
            connect(broker);
            failsWith("certificate not trusted: no authority that this controller trusts");
            use("ca.crt", "ca.crt");
            await("connected", mqtt::connected);
        }
    }

    @Test
    void withoutAFileTheAuthoritiesOfTheJdkAreTrusted() throws IOException {
        try (Mosquitto broker = broker("broker")) {
            connect(broker);
            failsWith(certificates.resolve("ca.crt").toString());
        }
    }

    @Test
    void nameOfTheBrokerIsVerified() throws IOException {
        use("ca.crt", "ca.crt");
        try (Mosquitto broker = broker("elsewhere")) {
            connect(broker);
            failsWith("certificate not trusted: it is not for '127.0.0.1'");
        }
    }

    @Test
    void unusableFilesAreNamed() throws IOException {
        try (Mosquitto broker = broker("broker")) {
            use("client.crt", "certificate.crt");
            connect(broker);
            failsWith("needs both");
            use("client.csr", "key.pem");
            await("key", () -> !log.containing("key.pem has no line -----BEGIN PRIVATE").isEmpty());
            use("client.key", "key.pem");
            use("client.csr", "ca.crt");
            await("authority", () -> !log.containing("ca.crt has").isEmpty());
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.mqtt;

import com.hivemq.client.mqtt.exceptions.ConnectionClosedException;
import com.hivemq.client.mqtt.exceptions.MqttDecodeException;
import com.hivemq.client.mqtt.mqtt3.exceptions.Mqtt3ConnAckException;
import com.hivemq.client.mqtt.mqtt3.message.connect.connack.Mqtt3ConnAckReturnCode;
import io.sirocco.home.mqtt.BrokerCertificates.UnusableException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;

/**
 * Describes for the owner why there is no connection to a broker, and what to do about it. It names
 * no class of Java. Any thread.
 */
final class BrokerFailure {
    private static final Pattern CLASS_NAME =
            Pattern.compile("(?:[a-z_][\\w$]*\\.)+[A-Z][\\w$]*(?:: )?");

    private static final String CLOSED =
            "the broker has closed the connection; its log may tell why";

    private BrokerFailure() {}

    /** Describes why an attempt to connect has failed, in a clause without a full stop. */
    static String ofAttempt(Throwable failure, MqttSettings broker) {
        String text = ofConnection(failure, broker);
        if (!text.equals(CLOSED)) {
            return text;
        }
        return broker.tls()
                ? "the broker has closed the connection; if its port is not for TLS, write tcp://"
                        + " in MQTTUrl"
                : "the broker has closed the connection; if its port is for TLS, write ssl:// in"
                        + " MQTTUrl";
    }

    /** Describes why a connection that the broker had accepted has ended, likewise. */
    static String ofConnection(Throwable failure, MqttSettings broker) {
        if (failure instanceof UnusableException) {
            return withoutClassNames(failure.getMessage());
        }
        List<Throwable> causes = causes(failure);
        for (int i = causes.size() - 1; i >= 0; i--) { // the deepest cause says most
            Optional<String> text = known(causes.get(i), broker);
            if (text.isPresent()) {
                return text.get();
            }
        }
        for (int i = causes.size() - 1; i >= 0; i--) {
            String text = withoutClassNames(causes.get(i).getMessage());
            if (!text.isEmpty()) {
                return text;
            }
        }
        return "the connection has failed; the log of the broker may tell why";
    }

    private static List<Throwable> causes(Throwable failure) {
        List<Throwable> causes = new ArrayList<>();
        for (Throwable each = failure;
                each != null && !causes.contains(each);
                each = each.getCause()) {
            causes.add(each);
        }
        return causes;
    }

    private static Optional<String> known(Throwable cause, MqttSettings broker) {
        return Optional.ofNullable(
                switch (cause) {
                    case Mqtt3ConnAckException e ->
                            refused(e.getMqttMessage().getReturnCode(), broker);
                    case UnknownHostException e ->
                            "the host name '"
                                    + broker.host()
                                    + "' is unknown; check it in MQTTUrl, or give an address";
                    case NoRouteToHostException e -> noRoute();
                    case ConnectException e when said(e).contains("timed out") ->
                            "no response from "
                                    + address(broker)
                                    + "; check the address in MQTTUrl, and whether a firewall drops"
                                    + " the port";
                    case ConnectException e ->
                            said(e).contains("unreachable")
                                    ? noRoute()
                                    : "connection refused: nothing listens at "
                                            + address(broker)
                                            + "; start the broker, or correct host and port in"
                                            + " MQTTUrl";
                    case SSLException e -> tls(e, broker);
                    case CertificateExpiredException e ->
                            "certificate not trusted: it has expired; renew that of the broker";
                    case CertificateNotYetValidException e ->
                            "certificate not trusted: it is not valid yet; check the clocks of this"
                                    + " machine and of the broker";
                    case CertPathBuilderException e -> strangeAuthority(broker);
                    case CertPathValidatorException e -> strangeAuthority(broker);
                    case CertificateException e -> wrongName(e, broker);
                    case AccessDeniedException e -> e.getFile() + " cannot be read: no permission";
                    case FileSystemException e -> e.getFile() + " cannot be read";
                    case ConnectionClosedException e -> closed(e);
                    case MqttDecodeException e ->
                            address(broker) + " does not speak MQTT; correct the port in MQTTUrl";
                    case Throwable e when said(e).contains("waiting for CONNACK") ->
                            "no response to CONNECT from "
                                    + address(broker)
                                    + "; check that it is the broker, and that it is not overloaded";
                    case IOException e when said(e).startsWith("Connection reset") -> CLOSED;
                    default -> null;
                });
    }

    private static String refused(Mqtt3ConnAckReturnCode code, MqttSettings broker) {
        return switch (code) {
            case BAD_USER_NAME_OR_PASSWORD, NOT_AUTHORIZED ->
                    broker.credentials().isPresent()
                            ? "user name or password wrong; correct them in MQTTUrl"
                            : "the broker needs a user name and a password; put them into MQTTUrl:"
                                    + " tcp://USER:PASSWORD@HOST:PORT";
            case IDENTIFIER_REJECTED ->
                    "the broker rejects the client id '"
                            + broker.clientId()
                            + "', the name of this controller; allow it there";
            case SERVER_UNAVAILABLE -> "the broker is not available at present";
            case UNSUPPORTED_PROTOCOL_VERSION ->
                    "the broker does not support MQTT 3.1.1; allow it there";
            case SUCCESS -> "the broker has ended the connection";
        };
    }

    private static String noRoute() {
        return "no route to the host; check the network, and the address in MQTTUrl";
    }

    private static String tls(SSLException e, MqttSettings broker) {
        String said = said(e);
        if (said.contains("not an SSL") || said.contains("SSL message")) {
            return "no TLS at "
                    + address(broker)
                    + "; correct the port in MQTTUrl, or write tcp:// instead of ssl://";
        }
        if (said.contains("timed out")) {
            return "no TLS handshake with " + address(broker) + " in time; check the port";
        }
        if (said.contains("certificate_required") || said.contains("bad_certificate")) {
            return "the broker wants a certificate of this controller that it trusts; put"
                    + " certificate.crt and key.pem into "
                    + broker.certificates();
        }
        return e instanceof SSLHandshakeException && e.getCause() == null
                ? "no TLS connection: " + withoutClassNames(said)
                : null;
    }

    private static String strangeAuthority(MqttSettings broker) {
        return "certificate not trusted: no authority that this controller trusts has signed it;"
                + " put the certificate of the broker's authority into "
                + broker.certificates().resolve("ca.crt");
    }

    private static String wrongName(CertificateException e, MqttSettings broker) {
        return said(e).startsWith("No subject alternative")
                        || said(e).startsWith("No name matching")
                ? "certificate not trusted: it is not for '"
                        + broker.host()
                        + "'; write in MQTTUrl the name that the certificate has"
                : null;
    }

    private static String closed(ConnectionClosedException e) {
        return said(e).contains("PINGRESP") ? "the broker no longer responds" : CLOSED;
    }

    private static String address(MqttSettings broker) {
        return broker.host() + ":" + broker.port();
    }

    private static String said(Throwable e) {
        return e.getMessage() == null ? "" : e.getMessage();
    }

    private static String withoutClassNames(String text) {
        return text == null ? "" : CLASS_NAME.matcher(text).replaceAll("").strip();
    }
}

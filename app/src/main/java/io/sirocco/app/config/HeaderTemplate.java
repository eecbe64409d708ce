// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import io.sirocco.http.Request;
import io.sirocco.net.TlsSession;
import io.sirocco.net.limit.Ip;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.security.auth.x500.X500Principal;

/**
 * The value of a header with variables, such as {@code {client-address}}; a brace that is no
 * variable is written twice. Immutable.
 */
public final class HeaderTemplate implements Function<Request, String> {
    private static final Map<String, Function<Request, String>> VARIABLES = new LinkedHashMap<>();

    static {
        VARIABLES.put("client-address", request -> address(request.remoteAddress()));
        VARIABLES.put("client-port", request -> port(request.remoteAddress()));
        VARIABLES.put("scheme", Request::scheme);
        VARIABLES.put("host", Request::host);
        VARIABLES.put("authority", Request::authority);
        VARIABLES.put("method", Request::method);
        VARIABLES.put("target", Request::target);
        VARIABLES.put("request-id", Request::id);
        VARIABLES.put("user", request -> (String) request.attribute(Request.USER).orElse(""));
        VARIABLES.put("tls-version", request -> request.tls().map(TlsSession::version).orElse(""));
        VARIABLES.put("tls-client-subject", HeaderTemplate::subject);
    }

    /** The variables of nginx that users write by habit. */
    private static final Map<String, String> OF_NGINX =
            Map.of(
                    "remote_addr", "client-address",
                    "remote_port", "client-port",
                    "scheme", "scheme",
                    "host", "host",
                    "http_host", "authority",
                    "request_method", "method",
                    "request_uri", "target",
                    "request_id", "request-id",
                    "remote_user", "user",
                    "ssl_client_s_dn", "tls-client-subject");

    private static final Pattern PLACE = Pattern.compile("\\{\\{|\\{([A-Za-z][A-Za-z0-9_.-]*)}");
    private static final Pattern NGINX = Pattern.compile("\\$\\{?([a-z_]+)");

    private final List<Function<Request, String>> parts;
    private final boolean constant;

    private HeaderTemplate(List<Function<Request, String>> parts, boolean constant) {
        this.parts = parts;
        this.constant = constant;
    }

    /** Parses a value. */
    public static HeaderTemplate parse(String text) {
        var parts = new ArrayList<Function<Request, String>>();
        boolean constant = true;
        int end = 0;
        for (Matcher place = PLACE.matcher(text); place.find(); end = place.end()) {
            boolean brace = place.group(1) == null;
            add(text.substring(end, brace ? place.start() + 1 : place.start()), parts);
            if (!brace) {
                parts.add(variable(place.group(1)));
                constant = false;
            }
        }
        add(text.substring(end), parts);
        return new HeaderTemplate(List.copyOf(parts), constant);
    }

    /** Returns the name of the first variable in a text; empty if there is none. */
    static Optional<String> firstVariable(String text) {
        return PLACE.matcher(text)
                .results()
                .map(place -> place.group(1))
                .filter(name -> name != null && VARIABLES.containsKey(name))
                .findFirst();
    }

    private static void add(String literal, List<Function<Request, String>> to) {
        for (Matcher other = NGINX.matcher(literal); other.find(); ) {
            String name = OF_NGINX.get(other.group(1));
            if (name != null) {
                throw new ConfigError(
                        "has $" + other.group(1) + ", which is not a variable here",
                        "write {" + name + "}");
            }
        }
        to.add(request -> literal);
    }

    private static Function<Request, String> variable(String name) {
        Function<Request, String> variable = VARIABLES.get(name);
        if (variable != null) return variable;
        String near = Nearest.to(name, VARIABLES.keySet()).orElse("");
        throw new ConfigError(
                "has {" + name + "}, which is not a variable",
                near.isEmpty()
                        ? "the variables are {%s}; write {{ for a brace"
                                .formatted(String.join("}, {", VARIABLES.keySet()))
                        : "did you mean {" + near + "}?");
    }

    /** Returns whether the value has no variables, so that it is {@link #text}. */
    public boolean constant() {
        return constant;
    }

    /** Returns the value of a template without variables. */
    public String text() {
        return apply(null);
    }

    @Override
    public String apply(Request request) {
        var value = new StringBuilder();
        for (Function<Request, String> part : parts) {
            value.append(part.apply(request));
        }
        return value.toString();
    }

    private static String address(SocketAddress address) {
        if (!(address instanceof InetSocketAddress inet) || inet.isUnresolved()) return "";
        return Ip.text(inet.getAddress());
    }

    private static String port(SocketAddress address) {
        return address instanceof InetSocketAddress inet ? Integer.toString(inet.getPort()) : "";
    }

    private static String subject(Request request) {
        return request.tls()
                .map(TlsSession::peerCertificates)
                .filter(chain -> !chain.isEmpty())
                .map(chain -> distinguishedName(chain.getFirst()))
                .orElse("");
    }

    /** Returns the subject (RFC 4514), of which all but visible ASCII is escaped as that has it. */
    private static String distinguishedName(X509Certificate certificate) {
        String name = certificate.getSubjectX500Principal().getName(X500Principal.RFC2253);
        var escaped = new StringBuilder();
        for (byte b : name.getBytes(StandardCharsets.UTF_8)) {
            if (b >= ' ' && b < 0x7f) {
                escaped.append((char) b);
            } else {
                escaped.append("\\%02X".formatted(b));
            }
        }
        return escaped.toString();
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.h1;

import io.sirocco.http.h1.Reading.Ending;
import io.sirocco.http.h1.Reading.Message;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A second reader of HTTP/1.1, written from the grammar of the RFCs with strings and regular
 * expressions, line by line: slow, and plain enough to be believed. It shares nothing with the
 * production parsers but their limits.
 */
final class Reference {
    private static final String TCHAR = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]";
    private static final String TOKEN = TCHAR + "+";
    private static final String VALUE = "[\\t\\x20-\\x7E\\x80-\\xFF]*";
    private static final String PCT = "%[0-9A-Fa-f]{2}";
    private static final String PORT = ":([0-9]{0,5})";

    // RFC 3986 3.2.2 and appendix A.
    private static final String REG_NAME = "(?:[A-Za-z0-9\\-._~!$&'()*+,;=]|" + PCT + ")+";
    private static final String DEC_OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9][0-9]|[0-9])";
    private static final String IPV4 =
            DEC_OCTET + "\\." + DEC_OCTET + "\\." + DEC_OCTET + "\\." + DEC_OCTET;
    private static final String H16 = "[0-9A-Fa-f]{1,4}";
    private static final String LS32 = "(?:" + H16 + ":" + H16 + "|" + IPV4 + ")";
    private static final String IPV6 =
            ("(?:(?:H:){6}L|::(?:H:){5}L|(?:H)?::(?:H:){4}L|(?:(?:H:){0,1}H)?::(?:H:){3}L"
                            + "|(?:(?:H:){0,2}H)?::(?:H:){2}L|(?:(?:H:){0,3}H)?::H:L"
                            + "|(?:(?:H:){0,4}H)?::L|(?:(?:H:){0,5}H)?::H|(?:(?:H:){0,6}H)?::)")
                    .replace("L", LS32)
                    .replace("H", H16);
    private static final String HOST = "(" + REG_NAME + "|\\[" + IPV6 + "\\])";

    private static final Pattern AUTHORITY = Pattern.compile(HOST + "(?:" + PORT + ")?");
    private static final Pattern REQUEST_LINE =
            Pattern.compile("(" + TOKEN + ") ([^ ]+) HTTP/1\\.([0-9])");
    private static final Pattern TARGET = Pattern.compile("(?:[\\x21-\\x7E&&[^#%]]|" + PCT + ")+");
    private static final Pattern ABSOLUTE =
            Pattern.compile("https?://([^/?]*)([^?]*)(\\?.*)?", Pattern.CASE_INSENSITIVE);
    private static final Pattern FIELD =
            Pattern.compile("(" + TOKEN + "):[ \\t]*(" + VALUE + ")", Pattern.DOTALL);

    // RFC 9112 7.1.1 and RFC 9110 5.6.4.
    private static final String QUOTED =
            "\"(?:[\\t \\x21\\x23-\\x5B\\x5D-\\x7E\\x80-\\xFF]|\\\\[\\t\\x20-\\x7E\\x80-\\xFF])*\"";
    private static final Pattern CHUNK =
            Pattern.compile(
                    ("([0-9A-Fa-f]{1,16})"
                                    + "(?:BWS;BWS"
                                    + TOKEN
                                    + "(?:BWS=BWS(?:"
                                    + TOKEN
                                    + "|Q))?)*")
                            .replace("BWS", "[ \\t]*")
                            .replace("Q", QUOTED));

    private static final List<String> NOT_IN_TRAILERS =
            List.of(
                    ("authorization cache-control connection content-encoding content-length"
                                    + " content-range content-type cookie expect host if-match"
                                    + " if-modified-since if-none-match if-range"
                                    + " if-unmodified-since keep-alive max-forwards pragma"
                                    + " proxy-authorization range te trailer transfer-encoding"
                                    + " upgrade")
                            .split(" "));

    /** The bytes are wrong. */
    private static final class Wrong extends Exception {}

    /** The bytes are not all there. */
    private static final class Short extends Exception {}

    private final String stream;
    private int at;

    private Reference(String stream) {
        this.stream = stream;
    }

    static Reading read(byte[] stream) {
        Reference reference = new Reference(Wire.text(stream));
        List<Message> messages = new ArrayList<>();
        try {
            while (true) {
                messages.add(reference.message());
            }
        } catch (Short e) {
            return new Reading(messages, Ending.OPEN);
        } catch (Wrong e) {
            return new Reading(messages, Ending.REJECTED);
        }
    }

    private Message message() throws Wrong, Short {
        int start = at;
        int limit = start + Reading.LIMITS.head();
        String line = line(limit);
        if (line.isEmpty()) {
            line = line(limit);
        }
        Matcher request = must(REQUEST_LINE, line);
        String method = request.group(1);
        String target = request.group(2);
        int minor = request.group(3).equals("0") ? 0 : 1;
        must(target.length() <= Reading.LIMITS.target());
        must(TARGET, target);

        Matcher absolute = ABSOLUTE.matcher(target);
        String authority = null;
        String path = "";
        String query = "";
        if (method.equals("CONNECT")) {
            authority = target;
            must(target.matches(".*:[0-9]+"));
        } else if (target.startsWith("/")) {
            path = target.split("\\?", 2)[0];
            query = target.substring(path.length());
        } else if (target.equals("*")) {
            must(method.equals("OPTIONS"));
            path = "*";
        } else {
            must(absolute.matches());
            authority = absolute.group(1);
            path = absolute.group(2).isEmpty() ? "/" : absolute.group(2);
            query = absolute.group(3) == null ? "" : absolute.group(3);
        }
        if (authority != null) {
            checkAuthority(authority);
        }

        List<String> fields = fields(limit, Reading.LIMITS.headers());
        List<String> hosts = values(fields, "host");
        must(hosts.size() <= 1);
        must(hosts.size() == 1 || minor == 0);
        for (String host : hosts) {
            if (!(path.equals("*") && host.isEmpty())) {
                checkAuthority(host);
            }
        }
        if (authority == null) {
            authority = hosts.isEmpty() ? "" : hosts.getFirst();
        }
        Matcher hostAndPort = AUTHORITY.matcher(authority);
        String host = hostAndPort.matches() ? hostAndPort.group(1) : "";
        String digits = hostAndPort.matches() ? hostAndPort.group(2) : null;
        int port = digits == null || digits.isEmpty() ? -1 : Integer.parseInt(digits);

        List<String> options = new ArrayList<>();
        for (String value : values(fields, "connection")) {
            for (String option : value.split(",")) {
                options.add(option.replaceAll("\\A[ \t]+|[ \t]+\\z", "").toLowerCase(Locale.ROOT));
            }
        }
        boolean keepAlive =
                !options.contains("close") && (minor == 1 || options.contains("keep-alive"));
        List<String> expectations = minor == 1 ? values(fields, "expect") : List.of();
        for (String expectation : expectations) {
            for (String element : expectation.split(",")) {
                String known = element.replaceAll("\\A[ \t]+|[ \t]+\\z", "");
                must(known.isEmpty() || known.equalsIgnoreCase("100-continue"));
            }
        }
        List<String> upgrades = values(fields, "upgrade");
        upgrades.removeIf(String::isEmpty);
        boolean upgrade = minor == 1 && !upgrades.isEmpty() && options.contains("upgrade");

        List<String> lengths = values(fields, "content-length");
        List<String> codings = values(fields, "transfer-encoding");
        must(lengths.size() + codings.size() <= 1);
        String body = "";
        List<String> trailers = List.of();
        if (!codings.isEmpty()) {
            must(minor == 1 && codings.getFirst().equalsIgnoreCase("chunked"));
            StringBuilder data = new StringBuilder();
            trailers = chunks(data);
            body = data.toString();
        } else if (!lengths.isEmpty()) {
            must(lengths.getFirst().matches("[0-9]{1,18}"));
            long length = Long.parseLong(lengths.getFirst());
            must(length <= Reading.BODY);
            body = take((int) length);
        }
        return new Message(
                method,
                target,
                path,
                query,
                host,
                port,
                minor,
                keepAlive,
                expectations.stream().anyMatch(e -> e.matches("(?i).*100-continue.*")),
                upgrade,
                fields,
                body,
                trailers,
                at);
    }

    private List<String> chunks(StringBuilder data) throws Wrong, Short {
        int extensions = 0;
        long excess = 0;
        while (true) {
            String line = line(at + Chunked.LINE + 2);
            BigInteger size = new BigInteger(must(CHUNK, line).group(1), 16);
            must(size.bitLength() <= 60);
            extensions += line.length() - line.split("[; \t]", 2)[0].length();
            must(extensions + data.length() <= Reading.BODY);
            must(
                    size.compareTo(BigInteger.valueOf(Reading.BODY - data.length() - extensions))
                            <= 0);
            excess =
                    Math.max(
                            0,
                            excess
                                    + line.length()
                                    + 4
                                    - 16
                                    - 2 * Math.min(size.longValue(), Chunked.EXCESS));
            must(excess <= Chunked.EXCESS);
            if (size.signum() == 0) {
                List<String> trailers = fields(at + Chunked.TRAILER_BYTES, Chunked.TRAILER_FIELDS);
                trailers.removeIf(
                        trailer ->
                                NOT_IN_TRAILERS.contains(
                                        trailer.substring(0, trailer.indexOf(':'))
                                                .toLowerCase(Locale.ROOT)));
                return trailers;
            }
            data.append(take(size.intValue()));
            must("\r\n".startsWith(stream.substring(at, Math.min(at + 2, stream.length()))));
            take(2);
        }
    }

    private List<String> fields(int limit, int most) throws Wrong, Short {
        List<String> fields = new ArrayList<>();
        while (true) {
            String line = line(limit);
            if (line.isEmpty()) {
                return fields;
            }
            Matcher field = must(FIELD, line);
            fields.add(field.group(1) + ": " + field.group(2).replaceAll("[ \t]+\\z", ""));
            must(fields.size() <= most);
        }
    }

    private static List<String> values(List<String> fields, String name) {
        List<String> values = new ArrayList<>();
        for (String field : fields) {
            String[] parts = field.split(": ", 2);
            if (parts[0].equalsIgnoreCase(name)) {
                values.add(parts[1]);
            }
        }
        return values;
    }

    private static void checkAuthority(String authority) throws Wrong {
        String port = must(AUTHORITY, authority).group(2);
        must(port == null || port.isEmpty() || Integer.parseInt(port) < 65536);
    }

    /** A line without its CRLF, which has to end before {@code limit}. */
    private String line(int limit) throws Wrong, Short {
        int lf = stream.indexOf('\n', at);
        if (lf < 0 || lf >= limit) {
            must(stream.length() < limit);
            throw new Short();
        }
        String line = stream.substring(at, lf);
        must(line.indexOf('\r') == line.length() - 1 && !line.isEmpty());
        at = lf + 1;
        return line.substring(0, line.length() - 1);
    }

    private String take(int length) throws Short {
        if (stream.length() - at < length) {
            throw new Short();
        }
        at += length;
        return stream.substring(at - length, at);
    }

    private static Matcher must(Pattern pattern, String text) throws Wrong {
        Matcher matcher = pattern.matcher(text);
        must(matcher.matches());
        return matcher;
    }

    private static void must(boolean good) throws Wrong {
        if (!good) {
            throw new Wrong();
        }
    }
}

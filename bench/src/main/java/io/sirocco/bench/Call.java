// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench;

import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * One request of a load, as it goes over the wire. Immutable; the bytes are shared and must not be
 * changed.
 *
 * @param label how reports name it: the method and the target
 * @param bytes head and body
 * @param head whether the method is HEAD, whose answers have no body whatever their head says
 * @param weight how often it is chosen, beside the others of the same load; at least 1
 */
public record Call(String label, byte[] bytes, boolean head, int weight) {

    /**
     * A request of HTTP/1.1.
     *
     * @param host of the Host field, with the port unless that is 80; unless fields have their own
     * @param target path and query, as in the request line
     * @param fields further fields, in order; Content-Length is added where there is a body and no
     *     field that says where it ends
     * @throws IllegalArgumentException when a part would break the head: a method or a name that is
     *     no token, a blank in the target, a line end in a field
     */
    public static Call of(
            String method, String host, String target, Map<String, String> fields, byte[] body) {
        var head = new StringBuilder();
        head.append(token("the method", method)).append(' ').append(target(target));
        head.append(" HTTP/1.1\r\n");
        if (!has(fields, "Host")) {
            head.append("Host: ").append(line("Host", host)).append("\r\n");
        }
        fields.forEach(
                (name, value) ->
                        head.append(token("the name of the field", name))
                                .append(": ")
                                .append(line(name, value))
                                .append("\r\n"));
        boolean framed = has(fields, "Content-Length") || has(fields, "Transfer-Encoding");
        if (!framed && (body.length > 0 || method.equals("POST") || method.equals("PUT"))) {
            head.append("Content-Length: ").append(body.length).append("\r\n");
        }
        byte[] start = head.append("\r\n").toString().getBytes(StandardCharsets.UTF_8);
        var bytes = new byte[start.length + body.length];
        System.arraycopy(start, 0, bytes, 0, start.length);
        System.arraycopy(body, 0, bytes, start.length, body.length);
        return new Call(method + " " + target, bytes, method.equals("HEAD"), 1);
    }

    /** The same request, chosen more or less often. */
    public Call times(int weight) {
        if (weight < 1) {
            throw new IllegalArgumentException("the weight of " + label + " must be at least 1");
        }
        return new Call(label, bytes, head, weight);
    }

    /** The same, telling the server to close the connection behind its answer. */
    Call closing() {
        int end = 0;
        while (bytes[end] != '\r' || bytes[end + 2] != '\r') { // the blank line
            end++;
        }
        byte[] field = "\r\nConnection: close".getBytes(StandardCharsets.US_ASCII);
        var longer = new byte[bytes.length + field.length];
        System.arraycopy(bytes, 0, longer, 0, end);
        System.arraycopy(field, 0, longer, end, field.length);
        System.arraycopy(bytes, end, longer, end + field.length, bytes.length - end);
        return new Call(label, longer, head, weight);
    }

    private static boolean has(Map<String, String> fields, String name) {
        return fields.keySet().stream().anyMatch(name::equalsIgnoreCase);
    }

    /** RFC 9110 5.6.2. */
    private static String token(String what, String text) {
        boolean holds = !text.isEmpty() && text.chars().allMatch(Call::ofToken);
        return checked(holds, what, text, "is not made of letters, digits and !#$%&'*+-.^_`|~");
    }

    private static boolean ofToken(int c) {
        boolean letter = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z';
        return letter || c >= '0' && c <= '9' || "!#$%&'*+-.^_`|~".indexOf(c) >= 0;
    }

    private static String target(String text) {
        boolean holds = !text.isEmpty() && text.chars().noneMatch(c -> c <= ' ' || c == 0x7f);
        return checked(holds, "the target", text, "is empty, or holds blanks");
    }

    private static String line(String name, String text) {
        boolean holds = text.chars().noneMatch(c -> c < ' ' && c != '\t' || c == 0x7f);
        return checked(holds, "the field " + name, text, "holds a line end, or the like");
    }

    private static String checked(boolean holds, String what, String text, String otherwise) {
        if (!holds) {
            String shown = text.replaceAll("\\p{Cntrl}", "?");
            throw new IllegalArgumentException(what + " " + otherwise + ": '" + shown + "'");
        }
        return text;
    }
}

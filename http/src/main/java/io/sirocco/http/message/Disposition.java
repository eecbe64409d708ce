// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.message;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Optional;

/**
 * The {@code Content-Disposition: form-data} of a part (RFC 7578 4.2). {@code filename*} is
 * ignored, as that clause requires. {@code name*} (RFC 8187), which aiohttp sends for a name that
 * is not ASCII, counts where there is no {@code name}. Immutable.
 */
public record Disposition(String name, Optional<String> filename) {

    /** Parses the header. Empty if it is not {@code form-data} or has no name. */
    public static Optional<Disposition> parse(String field) {
        int semicolon = field.indexOf(';');
        String type = Grammar.trim(field.substring(0, semicolon < 0 ? field.length() : semicolon));
        if (semicolon < 0 || !type.equalsIgnoreCase("form-data")) {
            return Optional.empty();
        }
        var parameters = ParameterList.parse(field, semicolon, false);
        var filename = Optional.ofNullable(parameters.get("filename"));
        return Optional.ofNullable(parameters.get("name"))
                .or(() -> extended(parameters.get("name*")))
                .map(
                        name ->
                                new Disposition(
                                        unquoted(name),
                                        filename.map(Disposition::unquoted)
                                                .map(Disposition::last)));
    }

    /** Decodes {@code UTF-8'language'percent-encoded} (RFC 8187 3.2); empty if it is none. */
    private static Optional<String> extended(String value) {
        int charset = value == null ? -1 : value.indexOf('\'');
        int language = charset < 0 ? -1 : value.indexOf('\'', charset + 1);
        if (language < 0 || !value.substring(0, charset).equalsIgnoreCase("UTF-8")) {
            return Optional.empty();
        }
        byte[] bytes = value.substring(language + 1).getBytes(UTF_8);
        return PercentDecoder.wellFormed(bytes, 0, bytes.length)
                ? Optional.of(PercentDecoder.decode(bytes, 0, bytes.length))
                : Optional.empty();
    }

    /** Browsers write a quotation mark as {@code %22} and leave every other {@code %} alone. */
    private static String unquoted(String text) {
        return text.replace("%22", "\"");
    }

    /**
     * Removes directories from a file name, which must not be trusted (RFC 7578 4.2, RFC 2183 2.3).
     */
    private static String last(String path) {
        int slash = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'));
        String name = path.substring(slash + 1);
        return name.equals(".") || name.equals("..") ? "" : name;
    }
}

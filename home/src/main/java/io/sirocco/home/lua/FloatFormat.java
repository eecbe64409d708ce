// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;

/**
 * The directives {@code %e %f %g} of {@code string.format}, as C has them. Immutable.
 *
 * @param flags some of {@code -+ #0}
 * @param precision negative for none
 * @param conversion one of {@code e E f F g G}
 */
record FloatFormat(String flags, int width, int precision, char conversion) {
    private static final int DEFAULT_PRECISION = 6;

    /** Returns the text of a number. */
    String of(double value) {
        String sign = sign(value);
        String digits = digits(Math.abs(value));
        String text = Character.isUpperCase(conversion) ? digits.toUpperCase(Locale.ROOT) : digits;
        int missing = Math.max(0, width - sign.length() - text.length());
        if (flags.contains("-")) {
            return sign + text + " ".repeat(missing);
        }
        return flags.contains("0") && Double.isFinite(value)
                ? sign + "0".repeat(missing) + text
                : " ".repeat(missing) + sign + text;
    }

    private String sign(double value) {
        if (value < 0 || 1 / value < 0) {
            return "-";
        }
        return flags.contains("+") ? "+" : flags.contains(" ") ? " " : "";
    }

    private String digits(double value) {
        if (!Double.isFinite(value)) {
            return Double.isNaN(value) ? "nan" : "inf";
        }
        var exact = new BigDecimal(value);
        int places = precision < 0 ? DEFAULT_PRECISION : precision;
        return switch (Character.toLowerCase(conversion)) {
            case 'f' -> fixed(exact, places);
            case 'e' -> scientific(exact, places);
            default -> general(exact, Math.max(1, places));
        };
    }

    private String fixed(BigDecimal value, int places) {
        String text = value.setScale(places, RoundingMode.HALF_EVEN).toPlainString();
        return places == 0 && isAlternate() ? text + "." : text;
    }

    private String scientific(BigDecimal value, int places) {
        BigDecimal rounded = rounded(value, places + 1);
        String all = rounded.unscaledValue().toString();
        String digits = all + "0".repeat(Math.max(0, places + 1 - all.length()));
        int exponent = exponent(rounded);
        return digits.charAt(0)
                + (places > 0 || isAlternate() ? "." : "")
                + digits.substring(1, places + 1)
                + (exponent < 0 ? "e-" : "e+")
                + (Math.abs(exponent) < 10 ? "0" : "")
                + Math.abs(exponent);
    }

    private String general(BigDecimal value, int significant) {
        int exponent = exponent(rounded(value, significant));
        boolean plain = exponent >= -4 && exponent < significant;
        String text =
                plain
                        ? fixed(value, significant - 1 - exponent)
                        : scientific(value, significant - 1);
        return isAlternate() || !text.contains(".")
                ? text
                : text.replaceFirst("\\.?0*(e.*)?$", "$1");
    }

    private boolean isAlternate() {
        return flags.contains("#");
    }

    private static BigDecimal rounded(BigDecimal value, int significant) {
        return value.round(new MathContext(significant, RoundingMode.HALF_EVEN));
    }

    private static int exponent(BigDecimal value) {
        return value.signum() == 0 ? 0 : value.precision() - value.scale() - 1;
    }
}

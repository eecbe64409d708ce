// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.message;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import java.util.function.IntPredicate;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;

/** Eight bytes at a time find what one at a time finds. */
class OctetsTest {

    @Test
    void unprintableIsOutsideSpaceToTilde() {
        check(Octets::unprintable, c -> c < 0x20 || c > 0x7E);
    }

    @Test
    void unlikeNameIsNeitherLetterNorHyphen() {
        check(Octets::unlikeName, c -> !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-'));
    }

    @Test
    void unlikeTargetIsWhatTheTableSays() {
        check(Octets::unlikeTarget, c -> !Octets.TARGET[c]);
    }

    /** Every byte in every lane, with good bytes below it and any bytes above. */
    private static void check(LongUnaryOperator mask, IntPredicate find) {
        Random random = new Random(1);
        byte[] eight = new byte[8];
        for (int c = 0; c < 256; c++) {
            for (int at = 0; at < 8; at++) {
                for (int round = 0; round < 50; round++) {
                    random.nextBytes(eight);
                    for (int i = 0; i < at; i++) {
                        while (find.test(eight[i] & 0xFF)) {
                            eight[i] = (byte) random.nextInt(256);
                        }
                    }
                    eight[at] = (byte) c;
                    assertEquals(first(eight, find), lane(mask, eight));
                }
            }
        }
    }

    private static int lane(LongUnaryOperator mask, byte[] eight) {
        long found = mask.applyAsLong(Octets.eight(eight, 0));
        return found == 0 ? 8 : Octets.lane(found);
    }

    private static int first(byte[] eight, IntPredicate find) {
        int i = 0;
        while (i < 8 && !find.test(eight[i] & 0xFF)) {
            i++;
        }
        return i;
    }
}

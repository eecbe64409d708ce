// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HexFormat;
import java.util.Random;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

class HmacTest {

    @Test
    void theVectorOfRfc4231() {
        byte[] signature =
                new Hmac("Jefe".getBytes(US_ASCII))
                        .sign("what do ya want for nothing?".getBytes(US_ASCII));
        assertEquals(
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
                HexFormat.of().formatHex(signature));
    }

    @Test
    void isThatOfTheJdkForKeysAndMessagesOfAllLengths() throws Exception {
        var random = new Random(1);
        for (int length = 1; length < 200; length++) {
            byte[] key = new byte[length];
            byte[] message = new byte[200 - length];
            random.nextBytes(key);
            random.nextBytes(message);
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            assertArrayEquals(mac.doFinal(message), new Hmac(key).sign(message));
        }
    }
}

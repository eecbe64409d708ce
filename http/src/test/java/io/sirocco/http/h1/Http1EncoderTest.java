// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.h1;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.sirocco.http.Response;
import io.sirocco.http.exchange.ResponseMessage;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class Http1EncoderTest {
    private static final byte[] DATE = "Date: x\r\n".getBytes();

    @Test
    void aResponseThatIsReturnedAgainIsEncodedOnce() {
        UnaryOperator<Response> change = response -> response.header("X", "1");
        Response kept = Response.text("kept");
        assertNull(whole(kept.mapOnce(change)), "the first time nobody knows whether it pays");
        byte[] whole = whole(kept.mapOnce(change));
        assertNotNull(whole);
        assertSame(whole, whole(kept.mapOnce(change)));
    }

    private static byte[] whole(Response response) {
        return Http1Encoder.whole((ResponseMessage) response, DATE);
    }
}

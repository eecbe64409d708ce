// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.deser.std.StdDeserializer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdSerializer;

/**
 * What a process and its children say to each other, a line each: records as JSON, in which a
 * histogram is in HdrHistogram's compressed form and that in Base64. Any thread.
 */
final class PartLine {
    private static final JsonMapper MAPPER =
            JsonMapper.builder()
                    .addModule(
                            new SimpleModule()
                                    .addSerializer(Histogram.class, new Packing())
                                    .addDeserializer(Histogram.class, new Unpacking()))
                    .build();

    private PartLine() {}

    static String of(Object value) {
        return MAPPER.writeValueAsString(value);
    }

    /**
     * @throws JacksonException when {@code line} is something else
     */
    static <T> T read(String line, Class<T> type) {
        return MAPPER.readValue(line, type);
    }

    private static final class Packing extends StdSerializer<Histogram> {
        Packing() {
            super(Histogram.class);
        }

        @Override
        public void serialize(Histogram value, JsonGenerator to, SerializationContext context) {
            var bytes = new byte[value.getNeededByteBufferCapacity()];
            int length = value.encodeIntoCompressedByteBuffer(ByteBuffer.wrap(bytes));
            to.writeBinary(Arrays.copyOf(bytes, length));
        }
    }

    private static final class Unpacking extends StdDeserializer<Histogram> {
        Unpacking() {
            super(Histogram.class);
        }

        @Override
        public Histogram deserialize(JsonParser from, DeserializationContext context) {
            try {
                var bytes = ByteBuffer.wrap(from.getBinaryValue());
                return Histogram.decodeFromCompressedByteBuffer(bytes, 1);
            } catch (DataFormatException e) {
                return context.reportInputMismatch(Histogram.class, "no histogram: %s", e);
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.object;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.home.lua.NumberText;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaValue;

/**
 * Strings of Lua, which are bytes, as text in UTF-8. LuaJ's own conversion writes characters beyond
 * U+FFFF as two surrogates and does not read them. Any thread.
 */
final class LuaText {
    private LuaText() {}

    /** Returns a string of Lua. */
    static LuaString of(String text) {
        return LuaString.valueUsing(text.getBytes(UTF_8));
    }

    /** Returns the text of a string or of any other value; a wrong byte becomes U+FFFD. */
    static String text(LuaValue value) {
        return value instanceof LuaString string
                ? new String(string.m_bytes, string.m_offset, string.m_length, UTF_8)
                : NumberText.of(value);
    }

    /** Returns whether the bytes of a string are UTF-8. */
    static boolean isText(LuaString string) {
        try {
            UTF_8.newDecoder()
                    .decode(ByteBuffer.wrap(string.m_bytes, string.m_offset, string.m_length));
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }
}

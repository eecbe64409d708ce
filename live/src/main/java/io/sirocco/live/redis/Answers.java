// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.sirocco.live.broker.Member;
import io.sirocco.live.broker.Replay;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What replies of the server come to. */
final class Answers {
    private Answers() {}

    static String text(Object reply) {
        return new String((byte[]) reply, US_ASCII);
    }

    /** Zero for nothing. */
    static Long number(Object reply) {
        return reply == null ? 0 : Long.parseLong(text(reply));
    }

    /** Of {@code renew.lua}: which of them. */
    static List<String> missing(Object reply, List<String> all) {
        List<String> missing = new ArrayList<>();
        for (Object place : (List<?>) reply) {
            missing.add(all.get(Math.toIntExact((Long) place)));
        }
        return missing;
    }

    /** Each somebody once. */
    static List<Member> members(Object reply) {
        Map<String, Member> found = new LinkedHashMap<>();
        for (Object one : (List<?>) reply) {
            Member member = Entry.member((byte[]) one);
            found.putIfAbsent(member.identity(), member);
        }
        return List.copyOf(found.values());
    }

    /**
     * Of {@code history.lua}.
     *
     * @param nonsense whether it was asked for what is behind no position of ours
     */
    static Replay history(Object reply, boolean nonsense) {
        List<?> parts = (List<?>) reply;
        String epoch = text(parts.get(0));
        boolean gap = nonsense || (Long) parts.get(2) > 0;
        List<Replay.Message> messages = new ArrayList<>();
        for (int i = parts.size() - 2; i > 2; i -= 2) { // the newest comes first
            Offset offset = Offset.of((byte[]) parts.get(i));
            switch (Entry.read((byte[]) parts.get(i + 1))) {
                case Entry.Said said ->
                        messages.add(new Replay.Message(offset.in(epoch), said.publication()));
                default -> gap = true; // of a version to come
            }
        }
        return new Replay(messages, gap, Offset.of((byte[]) parts.get(1)).in(epoch));
    }
}

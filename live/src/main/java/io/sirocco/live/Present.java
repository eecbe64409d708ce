// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.live.broker.Member;
import io.sirocco.live.wire.Json;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** A {@link Member} as the other members are told of it. Immutable. */
record Present(String client, String user, JsonNode info) {

    static List<Present> of(Json json, List<Member> members) {
        return members.stream().map(member -> of(json, member)).toList();
    }

    private static Present of(Json json, Member member) {
        return new Present(member.client(), member.user(), info(json, member.info()));
    }

    private static JsonNode info(Json json, String text) {
        try {
            return text.isEmpty() ? json.mapper().createObjectNode() : json.mapper().readTree(text);
        } catch (JacksonException e) { // another node's fault
            return json.mapper().createObjectNode();
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.broker;

import java.util.List;
import java.util.Map;

/**
 * A client as it was, for when it comes back.
 *
 * @param namespace where it was
 * @param pid a secret between it and us, unguessable
 * @param client its id
 * @param user who it was authenticated as; empty for nobody in particular
 * @param rooms which it is in
 * @param tags what handlers have put to it
 */
public record Session(
        String namespace,
        String pid,
        String client,
        String user,
        List<String> rooms,
        Map<String, String> tags) {}

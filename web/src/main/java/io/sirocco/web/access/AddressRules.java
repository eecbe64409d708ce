// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.access;

import io.sirocco.http.Filter;
import io.sirocco.http.Handler;
import io.sirocco.http.Request;
import io.sirocco.http.Response;

/**
 * Admits clients by the address of the peer; all others get 403. If networks are allowed, only
 * these are admitted; denied ones never are. Refusals are counted as {@code allow} and {@code
 * deny}. Any thread.
 */
public final class AddressRules implements Filter {
    private final Networks allow;
    private final Networks deny;
    private final Refusal notAllowed;
    private final Refusal denied;

    /**
     * Rules from two lists.
     *
     * @param allow empty for all
     */
    public AddressRules(Networks allow, Networks deny, Rejections rejections) {
        this.allow = allow;
        this.deny = deny;
        this.notAllowed = rejections.refusal("allow", 403);
        this.denied = rejections.refusal("deny", 403);
    }

    @Override
    public Response filter(Request request, Handler next) throws Exception {
        var peer = request.remoteAddress();
        if (deny.contains(peer)) {
            return denied.answer(request);
        }
        return allow.isEmpty() || allow.contains(peer)
                ? next.handle(request)
                : notAllowed.answer(request);
    }
}

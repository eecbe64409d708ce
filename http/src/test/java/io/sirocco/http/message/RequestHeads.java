// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.message;

import java.nio.charset.StandardCharsets;

/** Makes request heads without a parser, as a version of HTTP with compressed headers would. */
public final class RequestHeads {
    private final RequestHead head = RequestHead.spare();
    private final StringBuilder bytes = new StringBuilder();

    private RequestHeads() {}

    /** Returns the head of a request; {@code fields} are names and values in turn. */
    public static RequestHead of(String method, String target, String host, String... fields) {
        return new RequestHeads().make(method, target, host, fields);
    }

    private RequestHead make(String method, String target, String host, String... fields) {
        head.methodFrom = add(method);
        head.methodTo = bytes.length();
        bytes.append(' ');
        head.targetFrom = head.pathFrom = add(target);
        head.targetTo = head.pathTo = bytes.length();
        int query = target.indexOf('?');
        if (query >= 0) {
            head.pathTo = head.targetFrom + query;
            head.queryFrom = head.pathTo + 1;
        }
        head.form = target.equals("*") ? TargetForm.ASTERISK : TargetForm.ORIGIN;
        head.hostFrom = add(host);
        head.hostTo = head.authorityTo = bytes.length();
        head.offsets = new int[2 * fields.length];
        for (int i = 0; i < fields.length; i++) {
            head.offsets[2 * i] = add(fields[i]);
            head.offsets[2 * i + 1] = bytes.length();
        }
        head.count = fields.length / 2;
        head.end = bytes.length();
        head.bytes = bytes.toString().getBytes(StandardCharsets.ISO_8859_1);
        return head;
    }

    private int add(String text) {
        int from = bytes.length();
        bytes.append(text);
        return from;
    }
}

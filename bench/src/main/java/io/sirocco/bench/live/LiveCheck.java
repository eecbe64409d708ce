// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.live;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;

/**
 * Whether a server does what a {@link LivePlan} will have it do, and nothing cheaper: tickets that
 * admit once, passwords that are looked at, echoes of all arguments, messages to all in a room but
 * the sender, in order. One thread.
 */
public final class LiveCheck {
    private static final JsonMapper JSON = new JsonMapper();
    private static final String ARGUMENTS = "[\"a \u20ac\",1.5,{\"k\":[true,null]}]";
    private static final int MESSAGES = 20;
    private static final String TOO_MANY_GUESSES =
            "the server refuses this address for now. It counts the wrong passwords and tickets that"
                    + " each check sends as guesses: wait a minute, or check a server without that"
                    + " limit (guesses = 0)";

    private final LivePlan plan;
    private final List<Line> lines = new ArrayList<>();
    private final Set<Line> recovering = new HashSet<>(); // their events have an offset at the end

    private LiveCheck(LivePlan plan) {
        this.plan = plan;
    }

    /** What is wrong, in words; empty when nothing is. */
    public static Optional<String> of(LivePlan plan) {
        var check = new LiveCheck(plan);
        try {
            check.all();
            return Optional.empty();
        } catch (SocketTimeoutException e) {
            return Optional.of("no answer within " + plan.timeout.toMillis() + " ms");
        } catch (IOException | JacksonException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        } finally {
            check.close();
        }
    }

    private void close() {
        for (Line line : lines) {
            try {
                line.close();
            } catch (IOException e) {
                // nothing is lost with it
            }
        }
    }

    private void all() throws IOException {
        if (plan.password.isPresent()) {
            admission();
        }
        Line a = session(auth());
        Line b = session(auth());
        echo(a);
        fanOut(a, b, session(auth()));
    }

    private String auth() {
        return plan.password.map(LiveCheck::password).orElse("");
    }

    private static String password(String password) {
        return "{\"password\":" + Handshake.quoted(password) + "}";
    }

    private void admission() throws IOException {
        String another = plan.password.orElseThrow() + "?";
        var wrong =
                LivePlan.on(plan.server, plan.host, plan.path, plan.work, p -> p.password(another));
        int status = ask(Handshake.of(wrong).ticket()).status();
        require(status != 429, "POST /ticket: status 429: " + TOO_MANY_GUESSES);
        require(status == 401, "POST /ticket with a wrong password: status " + status);
        refused(password(another), "a wrong password");
        admittedForNothing();
        Line.Answer answer = ask(Handshake.of(plan).ticket());
        require(answer.status() != 429, "POST /ticket: status 429: " + TOO_MANY_GUESSES);
        require(answer.status() == 200, "POST /ticket: status " + answer.status());
        JsonNode ticket = JSON.readTree(answer.body()).path("ticket");
        require(ticket.isString(), "POST /ticket: " + answer.body());
        session("{\"ticket\":" + ticket + "}");
        refused("{\"ticket\":" + ticket + "}", "a ticket that was used before");
        refused("{\"ticket\":\"none\"}", "a ticket that is none");
    }

    private Line line() throws IOException {
        return new Line(plan.server, Math.clamp(plan.timeout.toMillis(), 1, Integer.MAX_VALUE));
    }

    private Line.Answer ask(byte[] request) throws IOException {
        try (var line = line()) {
            return line.ask(request);
        }
    }

    private void refused(String auth, String what) throws IOException {
        String answer = connect(auth, line());
        require(
                answer.startsWith("44") || answer.startsWith("41"),
                what + " was answered with " + answer);
    }

    /** Some can refuse those who bring nothing only when these ask for something. */
    private void admittedForNothing() throws IOException {
        var line = line();
        String answer = connect("", line);
        try {
            if (answer.startsWith("40")) {
                line.send("427[\"echo\",1]");
                require(line.next().startsWith("41"), "no password was answered with " + answer);
            }
        } catch (EOFException e) {
            // sent away
        }
    }

    private Line session(String auth) throws IOException {
        var line = line();
        String answer = connect(auth, line);
        require(answer.startsWith("40"), plan.told("CONNECT was answered with " + answer));
        if (JSON.readTree(answer.substring(2)).has("pid")) {
            recovering.add(line);
        }
        return line;
    }

    /** What CONNECT is answered with. */
    private String connect(String auth, Line line) throws IOException {
        lines.add(line);
        var handshake = Handshake.of(plan);
        Line.Answer answer = line.ask(handshake.upgrade());
        require(answer.status() == 101, "the upgrade was answered with " + answer.status());
        require(
                answer.head().contains(new String(handshake.accept())),
                "Sec-WebSocket-Accept is another");
        String open = line.next();
        require(
                open.startsWith("0{") && JSON.readTree(open.substring(1)).path("sid").isString(),
                "the session was opened with " + open);
        line.send("40" + auth);
        String admission = line.next();
        require(!isLimited(admission), "CONNECT: limited: " + TOO_MANY_GUESSES);
        return admission;
    }

    private static boolean isLimited(String admission) {
        return admission.startsWith("44{")
                && JSON.readTree(admission.substring(2))
                        .path("data")
                        .path("code")
                        .asString("")
                        .equals("limited");
    }

    private void echo(Line line) throws IOException {
        line.send("427[\"echo\"," + ARGUMENTS.substring(1));
        answered(line, "437", ARGUMENTS);
        String large = "[\"" + "x".repeat(plan.size) + "\"]";
        line.send("428[\"echo\"," + large.substring(1));
        answered(line, "438", large);
    }

    private void answered(Line line, String head, String array) throws IOException {
        String answer = line.next();
        boolean event = head.equals("42");
        boolean right =
                answer.startsWith(head)
                        && arguments(answer.substring(head.length()), event, line)
                                .equals(JSON.readTree(array));
        require(right, "instead of " + head + array + " came " + answer);
    }

    /** Without the offset that an event has where clients recover. */
    private JsonNode arguments(String array, boolean event, Line line) {
        JsonNode all = JSON.readTree(array);
        boolean dated = event && recovering.contains(line) && all instanceof ArrayNode;
        if (dated && !all.isEmpty() && all.get(all.size() - 1).isString()) {
            ((ArrayNode) all).remove(all.size() - 1);
        }
        return all;
    }

    private void fanOut(Line a, Line b, Line c) throws IOException {
        for (Line each : List.of(a, b, c)) {
            each.send("421[\"join\",\"" + Fanout.ROOM + "\"]");
            answered(each, "431", "[]");
        }
        for (int i = 0; i < MESSAGES; i++) {
            c.send("42[\"publish\",\"" + Fanout.ROOM + "\",\"m\"," + i + ",\"x\"]");
        }
        c.send("422[\"publish\",\"" + Fanout.ROOM + "\",\"m\"," + MESSAGES + ",\"x\"]");
        answered(c, "432", "[]");
        a.send("42[\"publish\",\"" + Fanout.ROOM + "\",\"n\"]");
        for (int i = 0; i <= MESSAGES; i++) {
            answered(b, "42", "[\"m\"," + i + ",\"x\"]");
        }
        answered(b, "42", "[\"n\"]");
        answered(c, "42", "[\"n\"]");
        for (int i = 0; i <= MESSAGES; i++) {
            answered(a, "42", "[\"m\"," + i + ",\"x\"]");
        }
        a.send("424[\"leave\",\"" + Fanout.ROOM + "\"]");
        answered(a, "434", "[]");
        c.send("425[\"publish\",\"" + Fanout.ROOM + "\",\"o\"]");
        answered(c, "435", "[]");
        answered(b, "42", "[\"o\"]");
        echo(a);
        echo(c);
    }

    private static void require(boolean holds, String otherwise) throws IOException {
        if (!holds) {
            throw new IOException(otherwise);
        }
    }
}

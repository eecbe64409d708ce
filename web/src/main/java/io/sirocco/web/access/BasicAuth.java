// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.access;

import io.sirocco.http.Filter;
import io.sirocco.http.Handler;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.net.Clock;
import io.sirocco.net.limit.TokenBuckets;
import io.sirocco.web.access.Verifier.Verdict;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Admits clients with the name and password of a user (RFC 7617); all others get 401. A password
 * that was verified a short while ago is admitted at once; any other is verified on another thread,
 * so no loop waits for bcrypt, whatever the execution mode of the route. One client, which is an
 * IPv4 address or an IPv6 network of 64 bits, may send ten wrong passwords at once and one every
 * six seconds after that; then it gets 429 until it may try again. Refusals are counted as {@code
 * basic-auth}.
 *
 * <p>The name of the user becomes the attribute {@link #USER} of the request. For another list of
 * users, create another object. Any thread.
 */
public final class BasicAuth implements Filter {
    /** The attribute of a request that has the name of its user, a String. */
    public static final String USER = Request.USER;

    private static final int GUESSES = 10;
    private static final Duration PER_GUESS = Duration.ofSeconds(6);
    private static final int GUESSERS = 16_384;

    private final Verifier verifier;
    private final TokenBuckets guesses;
    private final Refusal unauthorized;
    private final Refusal tooMany;
    private final Refusal busy;

    /**
     * Creates a filter for a list of users.
     *
     * @param realm the name that browsers show, and store passwords by; ASCII text
     * @throws IllegalArgumentException if the realm cannot be sent
     */
    public BasicAuth(String realm, Users users, Clock clock, Rejections rejections) {
        if (realm.chars().anyMatch(c -> c < ' ' || c > '~')) {
            throw new IllegalArgumentException(
                    "The realm is \"" + realm + "\"; write it with the letters of ASCII.");
        }
        String quoted = realm.replace("\\", "\\\\").replace("\"", "\\\"");
        this.verifier = new Verifier(users, clock);
        this.guesses = TokenBuckets.ofGuesses(1, PER_GUESS, GUESSES, GUESSERS, clock);
        this.unauthorized =
                rejections
                        .refusal("basic-auth", 401)
                        .header(
                                "WWW-Authenticate",
                                "Basic realm=\"" + quoted + "\", charset=\"UTF-8\"");
        this.tooMany =
                rejections
                        .refusal("basic-auth", 429)
                        .header("Retry-After", Long.toString(PER_GUESS.toSeconds()));
        this.busy = rejections.refusal("basic-auth", 503).header("Retry-After", "1");
    }

    @Override
    public Response filter(Request request, Handler next) throws Exception {
        Credentials given = request.header("Authorization").map(Credentials::parse).orElse(null);
        if (given == null) {
            return unauthorized.answer(request);
        }
        Fingerprint print = Fingerprint.of(given);
        Handler entered =
                r -> {
                    r.attribute(USER, given.name());
                    return next.handle(r);
                };
        if (verifier.remembers(print)) {
            return entered.handle(request);
        }
        CompletableFuture<Verdict> verdict = verifier.inProgress(print);
        if (verdict == null) {
            SocketAddress peer = request.remoteAddress();
            if (guesses.take(peer) > 0) {
                return tooMany.answer(request);
            }
            verdict =
                    verifier.verify(print, given)
                            .whenComplete(
                                    (known, thrown) -> {
                                        if (known != Verdict.WRONG) {
                                            guesses.giveBack(peer); // it was no guess
                                        }
                                    });
        }
        return Response.asyncHandler(
                verdict.thenApply(
                        known ->
                                switch (known) {
                                    case RIGHT -> entered;
                                    case WRONG -> refused -> unauthorized.answer(refused);
                                    case BUSY -> refused -> busy.answer(refused);
                                }));
    }
}

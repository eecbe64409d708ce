// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Whether a client may come in. Immutable. */
public sealed interface Admission {

    /**
     * It may.
     *
     * @param until its connection is closed then, and it may come back if it is admitted anew;
     *     empty for no such time
     * @param rooms the only ones that it may join, with {@code *} for any text; empty for all
     */
    record Admitted(Optional<String> user, Optional<Instant> until, Optional<List<String>> rooms)
            implements Admission {
        private static final Admitted ANYBODY =
                new Admitted(Optional.empty(), Optional.empty(), Optional.empty());

        /** The same until then. */
        public Admitted until(Instant end) {
            return new Admitted(user, Optional.of(end), rooms);
        }

        /**
         * The same for these rooms: it is what {@link Client#mayJoin} answers. A program that puts
         * a client elsewhere may do so; it is not recovered then.
         */
        public Admitted rooms(List<String> names) {
            return new Admitted(user, until, Optional.of(List.copyOf(names)));
        }

        boolean mayJoin(String room) {
            return rooms.isEmpty()
                    || rooms.get().stream().anyMatch(name -> Glob.of(name).matches(room));
        }

        boolean isOver(Instant now) {
            return until.isPresent() && !until.get().isAfter(now);
        }
    }

    /** The code of a refusal without one of its own: {@code LiveClient} does not try again. */
    String UNAUTHORIZED = "unauthorized";

    /**
     * It may not. The client receives a {@code connect_error} with the message, and with the code
     * and the data together as its {@code data}.
     *
     * @param code 1 to 64 letters, digits and {@code _.-}
     * @param data further members, each a value that has a form in JSON
     * @param guess whether what it has offered may be a guess: see {@link LiveSettings#guesses}
     */
    record Refused(String code, String message, Map<String, ?> data, boolean guess)
            implements Admission {

        /**
         * Copies the data.
         *
         * @throws IllegalArgumentException when the code has another form
         */
        public Refused {
            if (!code.matches("[A-Za-z0-9_.-]{1,64}")) {
                throw new IllegalArgumentException(
                        "The code of a refusal is 1 to 64 letters, digits and _.- and not '"
                                + code
                                + "'.");
            }
            data = Map.copyOf(data);
        }

        boolean isOwn() {
            return !code.equals(UNAUTHORIZED) || !data.isEmpty();
        }
    }

    /** It may, as this user. */
    static Admitted as(String user) {
        return new Admitted(Optional.of(user), Optional.empty(), Optional.empty());
    }

    /** It may, as nobody in particular. */
    static Admitted anybody() {
        return Admitted.ANYBODY;
    }

    /**
     * It may not; the message is for the client. If it has offered something in {@code auth}, that
     * counts as a guess.
     */
    static Admission refused(String message) {
        return refused(UNAUTHORIZED, message, Map.of());
    }

    /**
     * The same with a code and data for the client, such as {@code banned} and until when. Where
     * several authenticators refuse, the client receives the first such refusal.
     *
     * @param code {@code unavailable} for a client that is to try again, {@code unauthorized} for
     *     one that is not; {@code LiveClient} tries again unless it is the latter
     * @param data further members of the {@code data} of {@code connect_error}; a member {@code
     *     code} is overwritten
     */
    static Admission refused(String code, String message, Map<String, ?> data) {
        return new Refused(code, message, data, true);
    }

    /**
     * It may not, although it has not guessed: what it has offered was good once, or is good
     * elsewhere. The message is for the client.
     */
    static Admission genuine(String message) {
        return new Refused(UNAUTHORIZED, message, Map.of(), false);
    }
}

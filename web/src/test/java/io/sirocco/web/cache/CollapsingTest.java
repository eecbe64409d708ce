// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import static io.sirocco.web.cache.CacheServing.answer;
import static io.sirocco.web.cache.TestOrigin.ok;
import static io.sirocco.web.cache.TestOrigin.response;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Headers;
import io.sirocco.web.files.Client;
import io.sirocco.web.files.Client.Answer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One fetch for many clients: who shares a response, and who must not. */
class CollapsingTest {
    private CacheServing serving = new CacheServing();

    /** Requests of the origin that wait for their responses. */
    private final LinkedBlockingQueue<CompletableFuture<OriginResponse>> pending =
            new LinkedBlockingQueue<>();

    CollapsingTest() {
        holdBack();
    }

    private void holdBack() {
        serving.origin.answersLater(
                request -> {
                    var response = new CompletableFuture<OriginResponse>();
                    pending.add(response);
                    return response;
                });
    }

    @AfterEach
    void close() {
        serving.close();
    }

    /** Begins requests of several clients, which are all waiting when this returns. */
    private List<CompletableFuture<Answer>> ask(int count, String target, String... fields)
            throws InterruptedException {
        var answers = new ArrayList<CompletableFuture<Answer>>();
        for (int i = 0; i < count; i++) {
            answers.add(serving.later(target, fields));
        }
        CacheServing.until(() -> serving.cache.waiting() == count);
        return answers;
    }

    @Test
    void oneFetchServesAllWhoWait() throws Exception {
        List<CompletableFuture<Answer>> answers = ask(20, "/a");
        assertEquals(1, serving.origin.count());
        pending.take().complete(ok("one", "Cache-Control", "max-age=60"));
        int collapsed = 0;
        for (CompletableFuture<Answer> later : answers) {
            Answer answer = answer(later);
            assertEquals("one", answer.text());
            collapsed += answer.field("Cache-Status").contains("; collapsed") ? 1 : 0;
        }
        assertEquals(19, collapsed);
        assertEquals(1, serving.origin.count());
        assertEquals(19, serving.cache.stats().collapsed());
        assertEquals(1, serving.cache.stats().misses());
    }

    @Test
    void oneRevalidationServesAllWhoWait() throws Exception {
        List<CompletableFuture<Answer>> first = ask(1, "/a");
        pending.take().complete(ok("one", "Cache-Control", "max-age=60", "ETag", "\"1\""));
        answer(first.getFirst());
        serving.clock.advance(61);
        List<CompletableFuture<Answer>> answers = ask(10, "/a");
        pending.take().complete(response(304, "", "ETag", "\"1\""));
        for (CompletableFuture<Answer> later : answers) {
            assertEquals("one", answer(later).text());
        }
        assertEquals(2, serving.origin.count());
    }

    @Test
    void aPrivateResponseIsForItsOwnClientAlone() throws Exception {
        List<CompletableFuture<Answer>> answers = ask(5, "/a");
        var others = new AtomicInteger();
        serving.origin.answers(
                request -> ok("n" + others.incrementAndGet(), "Cache-Control", "private"));
        pending.take().complete(ok("n0", "Cache-Control", "private, max-age=60"));
        Map<String, Boolean> texts = new ConcurrentHashMap<>();
        for (CompletableFuture<Answer> later : answers) {
            texts.put(answer(later).text(), true);
        }
        assertEquals(5, texts.size(), texts.toString());
        assertEquals(5, serving.origin.count());
    }

    @Test
    void nobodyWaitsForAUrlThatWasPrivateJustNow() throws Exception {
        List<CompletableFuture<Answer>> first = ask(1, "/a");
        pending.take().complete(ok("n1", "Cache-Control", "private"));
        answer(first.getFirst());
        List<CompletableFuture<Answer>> answers = ask(3, "/a");
        assertEquals(4, serving.origin.count());
        for (int i = 0; i < 3; i++) {
            pending.take().complete(ok("x", "Cache-Control", "private"));
        }
        for (CompletableFuture<Answer> later : answers) {
            assertEquals("x", answer(later).text());
        }
    }

    @Test
    void anotherVariantIsFetchedOnceForAllOfIts() throws Exception {
        List<CompletableFuture<Answer>> german = ask(1, "/a", "Accept-Language: de");
        var english = new ArrayList<CompletableFuture<Answer>>();
        for (int i = 0; i < 5; i++) {
            english.add(serving.later("/a", "Accept-Language: en"));
        }
        CacheServing.until(() -> serving.cache.waiting() == 6);
        assertEquals(1, serving.origin.count());
        String[] headers = {"Cache-Control", "max-age=60", "Vary", "Accept-Language"};
        pending.take().complete(ok("de", headers));
        assertEquals("de", answer(german.getFirst()).text());
        CompletableFuture<OriginResponse> second = pending.take();
        CacheServing.until(() -> serving.cache.waiting() == 5);
        second.complete(ok("en", headers));
        for (CompletableFuture<Answer> later : english) {
            assertEquals("en", answer(later).text());
        }
        assertEquals(2, serving.origin.count());
    }

    @Test
    void credentialsDoNotShareAResponseThatForbidsIt() throws Exception {
        List<CompletableFuture<Answer>> mine = ask(1, "/a", "Authorization: Basic bWU6bWU=");
        CompletableFuture<Answer> other = serving.later("/a");
        CacheServing.until(() -> serving.cache.waiting() == 2);
        serving.origin.answers(ok("other", "Cache-Control", "max-age=60"));
        pending.take().complete(ok("mine", "Cache-Control", "max-age=60"));
        assertEquals("mine", answer(mine.getFirst()).text());
        assertEquals("other", answer(other).text());
    }

    @Test
    void aClientThatAsksForAValidationDoesNotJoinAnEarlierFetch() throws Exception {
        List<CompletableFuture<Answer>> first = ask(1, "/a");
        CompletableFuture<OriginResponse> old = pending.take();
        CompletableFuture<Answer> reload = serving.later("/a", "Cache-Control: no-cache");
        String[] later = {"Cache-Control", "max-age=60", "Date", "Tue, 14 Nov 2023 22:13:20 GMT"};
        pending.take().complete(ok("new", later));
        assertEquals("new", answer(reload).text());
        String[] earlier = {"Cache-Control", "max-age=60", "Date", "Tue, 14 Nov 2023 22:13:19 GMT"};
        old.complete(ok("old", earlier));
        assertEquals("old", answer(first.getFirst()).text());
        assertEquals("new", serving.get("/a").text()); // the later response stays
    }

    @Test
    void aFailureIsForAllWhoWait() throws Exception {
        List<CompletableFuture<Answer>> answers = ask(3, "/a");
        pending.take().completeExceptionally(new IOException("no connection"));
        for (CompletableFuture<Answer> later : answers) {
            assertEquals(500, answer(later).status());
        }
        assertEquals(1, serving.origin.count());
    }

    @Test
    void aClientThatDisconnectsDoesNotCancelTheFetchOfOthers() throws Exception {
        Client leader = serving.client();
        leader.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
        CacheServing.until(() -> serving.cache.waiting() == 1);
        CompletableFuture<Answer> other = serving.later("/a");
        CacheServing.until(() -> serving.cache.waiting() == 2);
        leader.abort();
        CacheServing.until(() -> serving.cache.waiting() == 1);
        CompletableFuture<OriginResponse> response = pending.take();
        assertTrue(!response.isCancelled());
        response.complete(ok("one", "Cache-Control", "max-age=60"));
        assertEquals("one", answer(other).text());
        assertEquals(1, serving.origin.count());
    }

    @Test
    void aPrivateResponseToAClientThatHasDisconnectedIsForNobody() throws Exception {
        var body = new TestOrigin.Body();
        Client leader = serving.client();
        leader.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
        CacheServing.until(() -> serving.cache.waiting() == 1);
        CompletableFuture<Answer> other = serving.later("/a");
        CacheServing.until(() -> serving.cache.waiting() == 2);
        leader.abort();
        CacheServing.until(() -> serving.cache.waiting() == 1);
        serving.origin.answers(ok("other's", "Cache-Control", "private"));
        pending.take()
                .complete(
                        new OriginResponse(
                                200,
                                Headers.of("Cache-Control", "private"),
                                OptionalLong.of(6),
                                body));
        assertEquals("other's", answer(other).text());
        body.closed.get();
    }

    @Test
    void theFetchIsCancelledWhenAllHaveDisconnected() throws Exception {
        Client only = serving.client();
        only.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
        CompletableFuture<OriginResponse> response = pending.take();
        only.abort();
        CacheServing.until(response::isCancelled);
        assertEquals(0, serving.cache.waiting());
    }

    @Test
    void nobodyWaitsLongerThanTheCollapseTimeout() throws Exception {
        serving.close();
        serving = new CacheServing(o -> o.collapseTimeout(java.time.Duration.ofMillis(1)));
        holdBack();
        List<CompletableFuture<Answer>> first = ask(1, "/a");
        CompletableFuture<OriginResponse> slow = pending.take();
        CompletableFuture<Answer> second = serving.later("/a");
        pending.take().complete(ok("second", "Cache-Control", "max-age=60"));
        assertEquals("second", answer(second).text());
        slow.complete(ok("first", "Cache-Control", "max-age=60"));
        assertEquals("first", answer(first.getFirst()).text());
    }

    @Test
    void aPurgeKeepsWhatArrivesFromBeingStored() throws Exception {
        List<CompletableFuture<Answer>> before = ask(1, "/a");
        CompletableFuture<OriginResponse> old = pending.take();
        serving.cache.purge("http://a/a");
        List<CompletableFuture<Answer>> all = new ArrayList<>(before);
        all.add(serving.later("/a")); // must not join the fetch of before the purge
        CompletableFuture<OriginResponse> fresh = pending.take();
        old.complete(ok("old", "Cache-Control", "max-age=60"));
        assertEquals("old", answer(all.get(0)).text());
        fresh.complete(ok("new", "Cache-Control", "max-age=60"));
        assertEquals("new", answer(all.get(1)).text());
        assertEquals("new", serving.get("/a").text());
        assertEquals(2, serving.origin.count());
    }

    @Test
    void anUnsafeRequestKeepsWhatArrivesFromBeingStored() throws Exception {
        List<CompletableFuture<Answer>> before = ask(1, "/a");
        CompletableFuture<OriginResponse> old = pending.take();
        serving.origin.answers(response(204, ""), ok("new", "Cache-Control", "max-age=60"));
        assertEquals(204, serving.ask("DELETE", "/a").status());
        old.complete(ok("old", "Cache-Control", "max-age=60"));
        assertEquals("old", answer(before.getFirst()).text());
        assertEquals("new", serving.get("/a").text());
    }
}

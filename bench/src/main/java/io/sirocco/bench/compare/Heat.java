// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import io.sirocco.bench.report.Race;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * All peers at one work: each is checked and warmed up; then come the rounds, in each of them all
 * peers in another random order, so that what disturbs the machine for a while disturbs all alike.
 * Thread-confined.
 */
final class Heat {
    private final Work work;
    private final int rounds;
    private final List<Lane> lanes;

    Heat(Work work, Plan plan, List<Entry> entries, Generator ours) {
        this.work = work;
        this.rounds = work.rounds(plan.rounds());
        this.lanes =
                entries.stream()
                        .map(
                                entry ->
                                        new Lane(
                                                work,
                                                entry,
                                                generator(entry, plan.logs(), ours),
                                                plan.seconds(),
                                                plan.warmUp(),
                                                rounds))
                        .toList();
    }

    private Generator generator(Entry entry, Path logs, Generator ours) {
        return switch (work.shape().tool()) {
            case SIROCCO, LIVE -> ours;
            case AB -> new Ab(logs.resolve(work.name() + "-" + entry.peer().name() + ".txt"));
        };
    }

    /** How long it will take, in seconds. */
    double planned() {
        return lanes.stream().mapToDouble(Lane::ahead).sum();
    }

    /**
     * Runs it. When it is to end before its time, the answer holds those rounds that all have done;
     * when there are none, there is no answer.
     */
    Optional<Race.Work> run(RandomGenerator random, Progress progress, Ending ending) {
        progress.work(work, running().isEmpty());
        int whole = 0;
        try {
            for (Lane lane : running()) {
                lane.warmUp(progress, ending);
            }
            while (whole < rounds) {
                List<Lane> order = running();
                Collections.shuffle(order, random);
                for (Lane lane : order) {
                    lane.measure(progress, ending);
                }
                whole++;
            }
            tellBest(progress);
        } catch (InterruptedException e) {
            ending.noted();
        }
        return whole == 0 ? Optional.empty() : Optional.of(standings(whole));
    }

    private List<Lane> running() {
        return new ArrayList<>(lanes.stream().filter(Lane::runs).toList());
    }

    private void tellBest(Progress progress) {
        if (work.shape().tool() == Work.Tool.AB) {
            for (Lane lane : running()) {
                lane.measured().stream()
                        .max(Comparator.comparingDouble(Race.Round::requestsPerSecond))
                        .ifPresent(best -> progress.best(lane.peer(), best, rounds));
            }
        }
    }

    private Race.Work standings(int whole) {
        return new Race.Work(
                work.name(),
                work.title(),
                work.text(),
                work.unit(),
                lanes.stream().map(lane -> lane.standing(whole)).toList());
    }
}

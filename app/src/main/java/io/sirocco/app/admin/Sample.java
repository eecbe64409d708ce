// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.admin;

import java.util.List;
import java.util.Optional;

/**
 * The metrics of one second, as the dashboard draws them. Immutable.
 *
 * @param number of the sample, from 1
 * @param time its end, in milliseconds of the wall clock
 * @param requests with a response, per second
 * @param p50 latency in microseconds, as the others; -1 without responses
 * @param outcomes requests per second by class of status: 2xx, 3xx, 4xx, 5xx, cut off
 * @param connections open at its end
 * @param inProgress requests at its end
 * @param busy share of the time that each loop was working, 0 to 1
 * @param bytesIn received, per second
 * @param bytesOut sent, per second
 * @param heap bytes
 * @param resident bytes; -1 if the system does not report it
 * @param channels empty if they are off
 */
record Sample(
        long number,
        long time,
        double requests,
        long p50,
        long p90,
        long p99,
        List<Double> outcomes,
        int connections,
        int inProgress,
        List<Double> busy,
        double bytesIn,
        double bytesOut,
        long heap,
        long resident,
        Optional<ChannelSample> channels) {}

// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.cluster;

import io.sirocco.http.peer.Npm;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Official clients of JavaScript over long polling, with the balancer's cookie, as browsers are
 * where WebSocket is blocked. Used by one thread.
 */
final class Browsers implements AutoCloseable {
    private final Process process;
    private final BufferedReader out;
    private final BufferedWriter in;
    private final int many;
    private final int rooms;

    Browsers(String url, int many, int rooms) throws IOException {
        this.many = many;
        this.rooms = rooms;
        this.process = new Npm("socket.io-client").start("cluster.js", url, "" + many, "" + rooms);
        this.out = process.inputReader();
        this.in = process.outputWriter();
        expect("joined");
    }

    /** Waits until each has had a message. */
    void awaitFirst() throws IOException {
        ask("first");
        expect("all have");
    }

    /** Waits until each has had the last of its room, or a minute is over; what they were told. */
    List<Journal> report(Ledger ledger) throws IOException {
        ask(
                "last "
                        + IntStream.range(0, rooms)
                                .mapToObj(room -> "" + ledger.last(room))
                                .collect(Collectors.joining(" ")));
        List<Journal> journals = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            var journal = new Journal(Integer.parseInt(next()));
            for (String line = next(); !line.equals("end"); line = next()) {
                String[] parts = line.split(" ");
                journal.note(
                        new Journal.Note(
                                Journal.Kind.valueOf(parts[0]),
                                Integer.parseInt(parts[1]),
                                Long.parseLong(parts[2])));
            }
            journals.add(journal);
        }
        return journals;
    }

    private void ask(String what) throws IOException {
        in.write(what + "\n");
        in.flush();
    }

    private void expect(String what) throws IOException {
        String line = next();
        if (!line.equals(what)) {
            throw new IOException("not " + what + ", but " + line);
        }
    }

    private String next() throws IOException {
        String line = out.readLine();
        if (line == null) {
            throw new IOException("the clients have ended");
        }
        return line;
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}

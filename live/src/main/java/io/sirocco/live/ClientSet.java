// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import java.util.AbstractSet;
import java.util.Iterator;
import java.util.NoSuchElementException;

/**
 * Clients, each once, in one array: a client takes no further object, and all of them are copied
 * quickly. Open addressing with linear probing. It must not change while one iterates over it.
 * Loop-confined.
 */
final class ClientSet extends AbstractSet<Client> {
    private Client[] table = new Client[4];
    private int size;

    @Override
    public int size() {
        return size;
    }

    @Override
    public boolean contains(Object client) {
        return table[place(table, (Client) client)] != null;
    }

    @Override
    public boolean add(Client client) {
        int place = place(table, client);
        if (table[place] != null) {
            return false;
        }
        table[place] = client;
        size++;
        if (size > table.length / 4 * 3) {
            resize(table.length * 2);
        }
        return true;
    }

    @Override
    public boolean remove(Object client) {
        int hole = place(table, (Client) client);
        if (table[hole] == null) {
            return false;
        }
        table[hole] = null;
        size--;
        close(hole);
        if (table.length > 64 && size < table.length / 8) {
            resize(table.length / 2);
        }
        return true;
    }

    /** Moves up those behind a hole that probing would not find any more. */
    private void close(int hole) {
        int mask = table.length - 1;
        for (int i = hole + 1 & mask; table[i] != null; i = i + 1 & mask) {
            int home = hash(table[i]) & mask;
            if ((i - home & mask) >= (i - hole & mask)) {
                table[hole] = table[i];
                table[i] = null;
                hole = i;
            }
        }
    }

    private void resize(int length) {
        var larger = new Client[length];
        for (Client client : table) {
            if (client != null) {
                larger[place(larger, client)] = client;
            }
        }
        table = larger;
    }

    /** Where it is, or where it would be put. */
    private static int place(Client[] table, Client client) {
        int mask = table.length - 1;
        int i = hash(client) & mask;
        while (table[i] != null && table[i] != client) {
            i = i + 1 & mask;
        }
        return i;
    }

    private static int hash(Client client) {
        int hash = client.id().hashCode() * 0x9E3779B9;
        return hash ^ hash >>> 16;
    }

    @Override
    public Iterator<Client> iterator() {
        return new Iterator<>() {
            private int next;

            @Override
            public boolean hasNext() {
                while (next < table.length && table[next] == null) {
                    next++;
                }
                return next < table.length;
            }

            @Override
            public Client next() {
                if (!hasNext()) {
                    throw new NoSuchElementException();
                }
                return table[next++];
            }
        };
    }
}

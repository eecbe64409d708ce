// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.live.broker.Position;
import io.sirocco.live.broker.Publication;
import io.sirocco.live.engine.Parcel;

/**
 * A publication on its way to the clients of this node: encoded once for those who recover, and
 * once for the others. Any thread.
 */
final class Delivery {
    final Position position;
    final Publication publication;
    private Parcel plain; // threads that race make the same
    private Parcel dated;

    Delivery(Position position, Publication publication) {
        this.position = position;
        this.publication = publication;
    }

    /** For those who do not recover. */
    Parcel plain() {
        if (plain == null) {
            plain = parcel("4" + publication.event());
        }
        return plain;
    }

    /** With its offset as the last argument. */
    Parcel dated() {
        if (!publication.kept()) {
            return plain();
        }
        if (dated == null) {
            String event = publication.event();
            String offset = ",\"" + position + "\"]";
            dated = parcel("4" + event.substring(0, event.length() - 1) + offset);
        }
        return dated;
    }

    private Parcel parcel(String text) {
        return Parcel.message(text, publication.attachments(), true);
    }
}

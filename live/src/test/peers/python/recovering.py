# SPDX-License-Identifier: Apache-2.0
import re


class Session:
    """Hands back to the server what it was told, in the auth of each CONNECT."""

    def __init__(self, client, **auth):
        self.client, self.auth = client, auth
        client.on('connect', self.connected)

    def connected(self):
        self.client.emit('sirocco:session', callback=self.auth.update)

    def heard(self, handler):
        """A handler of an event, without the offset that is its last argument."""
        def handle(*arguments):
            *arguments, offset = arguments
            if place(offset) > place(self.auth.get('offset')):  # handlers run side by side
                self.auth['offset'] = offset
            return handler(*arguments)
        return handle


def place(offset):
    return [int(number) for number in re.findall(r'\d+', (offset or '').partition('.')[2])]

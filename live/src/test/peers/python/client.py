# SPDX-License-Identifier: Apache-2.0
#
# What python-socketio does with us: python client.py PORT TRANSPORTS; PythonClientTest compares what it prints.
import queue
import sys
import threading

import engineio
import socketio

from recovering import Session

engineio.payload.Payload.max_decode_packets = 10_000  # unless set, a poll may bring 16

port, transports = sys.argv[1], sys.argv[2].split(',')
url = f'http://127.0.0.1:{port}'


def tell(*facts):
    print(*[str(fact).lower() if isinstance(fact, bool) else fact for fact in facts], flush=True)


def connect(**auth):
    client = socketio.Client(reconnection_delay=0.02, reconnection_delay_max=0.05)
    client.session = Session(client, **auth)
    client.come = queue.Queue()
    client.on('connect', lambda: (client.session.connected(), client.come.put('connect')))
    for event in ('motd', 'counted', 'smell', 'news', 'missed'):
        client.on(event, client.session.heard(lambda what, event=event: client.come.put((event, what))))
    return client


def join(client, namespaces=None):
    client.connect(url, auth=lambda: client.session.auth, transports=transports, wait_timeout=10, namespaces=namespaces)
    wait(client, 'connect')
    return client


def wait(client, event):
    """What comes next of an event; what is of others is passed over."""
    while True:
        next = client.come.get(timeout=10)
        if next == event:
            return None
        if next[0] == event:
            return next[1]


# refused, with a reason; admitted
stranger = connect(password='wrong')
stranger.on('connect_error', lambda why: tell('refused', why['message'] + ',', why['data']['code']))
try:
    stranger.connect(url, auth=stranger.session.auth, transports=transports, wait_timeout=10, retry=False)
    tell('admitted')
except socketio.exceptions.ConnectionError:
    pass
client = connect(password='secret')
client.connect(url, namespaces=['/', '/admin'], auth=lambda: client.session.auth, transports=transports, wait_timeout=10)
tell('motd', wait(client, 'motd'))

# acknowledgements both ways, and bytes
tell('whoami', client.call('whoami') == client.get_sid())
tell('unknown', client.call('what')['error']['code'])
client.on('colour', lambda what: 'blue')
tell('asked', client.call('ask me'))
tell('bytes', client.call('echo', b'\x01\x02\xfa').hex())
client.on('mirror', lambda data: data[::-1])
tell('asked for bytes', client.call('ask me for bytes', b'\x01\x02\xfa').hex())
nested = client.call('echo', {'name': 'é', 'data': [b'a', b'\x07']})
tell('nested', nested['name'], *[each.hex() for each in nested['data']])
tell('long', client.call('echo', 'x' * 200_000) == 'x' * 200_000)

# none is lost or doubled; their order is not to be seen, since handlers of events run side by side here
for n in range(1000):
    client.emit('count', n)
tell('in order', sorted(wait(client, 'counted') for n in range(1000)) == list(range(1000)))

# rooms
other = join(connect(password='secret'))
client.call('join', 'kitchen')
other.call('join', 'kitchen')
other.call('toast', 'burnt toast')
tell('room', wait(client, 'smell'))
client.call('cook', 'soup')
soup = wait(other, 'smell')
wait(client, 'smell')
other.call('leave', 'kitchen')
client.call('cook', 'fish')
wait(client, 'smell')
other.call('whoami')
tell('left the room', soup)
client.emit('broadcast', 'hello')
tell('broadcast', wait(client, 'news'), wait(other, 'news'))
left = other.come.qsize()
other.disconnect()
if left:
    tell('the other has heard', left, 'more')
admin = client.call('whoami', namespace='/admin')
tell('admin', admin == client.get_sid('/admin'), admin != client.get_sid())

# a cut, and what was missed
client.emit('tell me', 0)
wait(client, 'missed')
me = client.get_sid()
client.emit('cut me')
missed = sorted(wait(client, 'missed') for n in range(3))
while client.get_sid() is None:
    threading.Event().wait(0.01)
tell('recovered', client.get_sid() == me, *missed)
client.emit('cook', 'bread')
tell('room again', wait(client, 'smell'))

# an end by the server
gone = threading.Event()
client.on('disconnect', lambda reason: gone.set())
client.emit('kick me')
if gone.wait(10):
    tell('kicked')
client.disconnect()

# a cut of one that does not recover
plain = socketio.Client(reconnection_delay=0.02, reconnection_delay_max=0.05)
again = queue.Queue()
plain.on('connect', lambda: again.put(1))
plain.connect(url, auth={'password': 'secret', 'offsets': False}, transports=transports, wait_timeout=10)
again.get(timeout=10)
first = plain.get_sid()
plain.emit('cut me')
again.get(timeout=10)
tell('reconnected', plain.get_sid() != first, plain.call('whoami') == plain.get_sid())
plain.disconnect()

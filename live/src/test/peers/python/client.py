# SPDX-License-Identifier: Apache-2.0
#
# What python-socketio does with us: python client.py PORT TRANSPORTS; PythonClientTest compares what it prints.
import sys
import threading

import socketio

port, transports = sys.argv[1], sys.argv[2].split(',')
url = f'http://127.0.0.1:{port}'


def tell(*facts):
    print(*facts, flush=True)


stranger = socketio.Client(reconnection=False)
try:
    stranger.connect(url, auth={'password': 'wrong'}, transports=transports, wait_timeout=10)
    tell('admitted')
except socketio.exceptions.ConnectionError as e:
    tell('refused')

client = socketio.Client(reconnection_delay=0.02, reconnection_delay_max=0.05)
motd, smell, again = threading.Event(), threading.Event(), threading.Event()
client.on('motd', lambda text, *offset: (tell('motd', text), motd.set()) if not motd.is_set() else again.set())
client.on('news', lambda text, *offset: (tell('news', text), smell.set()))
client.on('favourite', lambda what: f'{what}: blue')
client.connect(url, auth={'password': 'secret'}, transports=transports, wait_timeout=10)
motd.wait(10)
tell('whoami', client.call('whoami') == client.get_sid())
tell('bytes', client.call('echo', b'\x01\x02\xfa').hex())
nested = client.call('echo', {'name': 'é', 'data': [b'a']})
tell('nested', nested['name'], nested['data'][0].decode())
tell('asked', client.call('ask me'))
client.emit('broadcast', 'hello')
smell.wait(10)
client.disconnect()
tell('left')

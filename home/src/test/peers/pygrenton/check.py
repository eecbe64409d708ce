# SPDX-License-Identifier: Apache-2.0
"""Uses a controller as Home Assistant does, with pygrenton. Prints what it has found, a fact a line."""

import asyncio
import sys
import threading

from pygrenton import GrentonApi, verify
from pygrenton.interface_manager import InterfaceManager
from pygrenton.parsers.interfaces_parser import parse_interfaces

address, key, iv, cache, interfaces = sys.argv[1:]
PATIENCE = 20  # seconds


def own_interfaces() -> InterfaceManager:
    """The constructor of the manager would download the vendor's files."""
    manager = InterfaceManager.__new__(InterfaceManager)
    manager._clus, manager._modules = parse_interfaces(interfaces)
    return manager


def connect() -> GrentonApi:
    return GrentonApi(address, key, iv, cache, timeout=PATIENCE, client_ip="127.0.0.1")


def fact(*parts) -> None:
    print(*parts, flush=True)


class Reports:
    """The values that the controller has pushed for one feature."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._values = []

    def add(self, update) -> None:
        with self._changed:
            self._values.append(update.value)
            self._changed.notify_all()

    def await_that(self, condition) -> bool:
        with self._changed:
            return self._changed.wait_for(lambda: any(map(condition, self._values)), PATIENCE)


asyncio.set_event_loop(asyncio.new_event_loop())
GrentonApi._interface_manager = own_interfaces()
fact("serial %08x" % verify(address, key, iv))
api = connect()
api = connect()  # once more, as after a restart of the client
fact("serial %08x" % api.check_alive())
for each in api.objects:
    fact("object", each.object_id, each.name, each.object_class, len(each.features), len(each.methods))

clu = api.get_object_by_name("Controller")
fact("state", clu.get_feature_by_name("State").get_value())
fact("date", clu.get_feature_by_name("Date").get_value().count("-"))
fact("mqtt", clu.get_feature_by_name("UseMQTT").get_value())
fact("nothing", clu.get_value(99))
values = [[f.name, f.get_value()] for each in api.objects for f in each.features if f.is_gettable]
fact("features", len(values))

timer = api.get_object_by_id("TIM1")
time = timer.get_feature_by_name("Time")
time.set_value(60000)
fact("time", time.get_value())
fact("start", timer.get_method_by_name("Start").execute_method())
fact("counts", timer.get_feature_by_name("State").get_value())
fact("stop", timer.get_method_by_name("Stop").execute_method())
fact("stopped", timer.get_feature_by_name("State").get_value())
rules = api.get_object_by_name("Rules")
rules.get_feature_by_name("RuleList").set_value("'lights: 0 22 * * *'")
fact("rules", rules.get_feature_by_name("RuleCount").get_value())
fact("rule", rules.get_feature_by_name("RuleList").get_value())
fact("deleted", rules.get_method_by_name("DeleteRule").execute_method(1))
fact("left", rules.get_feature_by_name("RuleCount").get_value())

times, clocks = Reports(), Reports()
time.register_handler(times.add)
clu.get_feature_by_name("Time").register_handler(clocks.add)
time.set_value(61000)
fact("pushed", times.await_that(lambda value: value == 61000))
fact("clock pushed", clocks.await_that(lambda value: value.count(":") == 2))
time.remove_handler()
api._clu_client.run_lua_garbage_collector()
fact("serial %08x" % api.check_alive())

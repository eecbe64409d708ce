# SPDX-License-Identifier: Apache-2.0
"""
Asks a server for what `.ci/web/redbot` has laid out, and prints what redbot and httplint note about the answers: one
line for each note, by the name that the note has there, so that times, ports and sizes do not show.

    python3 notes.py http://127.0.0.1:8080 https://127.0.0.1:8443

What is `examined` gets redbot's whole examination: it asks again with gzip, with a range and with conditions, and
compares. Every answer, also to those questions, is read by httplint. All goes over each address; of the second one
only what differs from the first is printed.

The exit code is 1 when a note is bad or an answer cannot be read; standard error has the explanations.
"""

import sys
import textwrap
from collections.abc import Callable, Iterable
from configparser import ConfigParser
from dataclasses import dataclass
from email import message_from_bytes

import thor
from httplint import HttpResponseLinter
from httplint.note import Note, levels
from redbot.resource import HttpResource
from redbot.resource.fetch import RedFetcher

LONG_AGO = "Sat, 01 Jan 2000 00:00:00 GMT"


@dataclass(frozen=True)
class Ask:
    """A request. In its fields, {etag} is the field ETag of the plain GET of the same path that came before."""

    path: str
    method: str
    fields: dict[str, str]
    examined: bool

    def __str__(self) -> str:
        said = ", ".join(f"{name}: {value}" for name, value in self.fields.items())
        return f"{self.method} {self.path}" + (f" [{said}]" if said else "")


def examined(path: str, **fields: str) -> Ask:
    return Ask(path, "GET", {name.replace("_", "-"): value for name, value in fields.items()}, True)


def linted(path: str, method: str = "GET", **fields: str) -> Ask:
    return Ask(path, method, {name.replace("_", "-"): value for name, value in fields.items()}, False)


ASKED = [
    # Files, and their codings.
    examined("/"),
    examined("/small.txt"),
    examined("/page.txt"),
    examined("/page.txt", Accept_Encoding="gzip"),
    examined("/page.txt", Accept_Encoding="br"),
    examined("/page.txt", Accept_Encoding="zstd"),
    examined("/large.txt"),
    examined("/large.txt", Accept_Encoding="gzip"),
    examined("/large.bin"),
    examined("/empty.txt"),
    examined("/style.css"),  # style.css.br and style.css.gz lie beside it
    examined("/style.css", Accept_Encoding="br"),
    examined("/style.css", Accept_Encoding="gzip"),
    examined("/data.json"),  # with a rule for Cache-Control
    examined("/list/"),  # the list of a directory
    examined("/list/", Accept_Encoding="br"),
    linted("/list/", Accept="application/json"),
    # What is not simply there.
    examined("/list"),
    examined("/nowhere"),
    examined("/old/page.txt"),
    examined("/gone"),
    linted("/private/a.txt"),
    linted("/members/a.txt"),
    linted("/seldom/a.txt"),  # whose only permit is spent
    linted("/page.txt", "POST"),
    linted("/page.txt", "OPTIONS"),
    linted("/api/a.json", Origin="https://app.example.org"),
    linted(
        "/api/a.json",
        "OPTIONS",
        Origin="https://app.example.org",
        Access_Control_Request_Method="GET",
    ),
    # HEAD.
    linted("/", "HEAD"),
    linted("/page.txt", "HEAD"),
    linted("/page.txt", "HEAD", Accept_Encoding="gzip"),
    linted("/style.css", "HEAD", Accept_Encoding="br"),
    linted("/list/", "HEAD"),
    linted("/list", "HEAD"),
    linted("/nowhere", "HEAD"),
    # Ranges.
    linted("/page.txt", Range="bytes=0-9"),
    linted("/page.txt", Range="bytes=-5"),
    linted("/page.txt", Range="bytes=100-"),
    linted("/page.txt", Range="bytes=0-9,100-109"),
    linted("/page.txt", Range="bytes=0-9,10-19"),
    linted("/page.txt", Range="bytes=99999999-"),
    linted("/page.txt", Range="bytes=nonsense"),
    linted("/page.txt", Range="bytes=0-9", If_Range="{etag}"),
    linted("/page.txt", Range="bytes=0-9", If_Range='"another"'),
    linted("/page.txt", Range="bytes=0-9", Accept_Encoding="gzip"),
    linted("/style.css", Range="bytes=0-9", Accept_Encoding="br"),
    linted("/large.bin", Range="bytes=1000000-1999999"),
    linted("/large.bin", Range="bytes=0-9,2000000-2000009,1000000-1000009"),
    # Conditions.
    linted("/page.txt", If_None_Match="{etag}"),
    linted("/page.txt", If_None_Match="{etag}", Accept_Encoding="gzip"),
    linted("/page.txt", "HEAD", If_None_Match="{etag}"),
    linted("/data.json", If_None_Match="*"),
    linted("/page.txt", If_Modified_Since="{last-modified}"),
    linted("/page.txt", If_Match='"another"'),
    linted("/page.txt", If_Unmodified_Since=LONG_AGO),
    linted("/page.txt", If_Match="{etag}", Range="bytes=0-9"),
]


def several_parts(response: HttpResponseLinter) -> bool:
    return response.headers.parsed.get("content-type", [""])[0] == "multipart/byteranges"


# Notes that are mistaken, and when. Each has its reason.
MISTAKEN = {
    # It must not have one: its parts do (RFC 9110 15.3.7.2), and they are read as answers of their own.
    "PARTIAL_WITHOUT_RANGE": several_parts,
}

# Notes that stand there or not as the second happens to end: an answer with the Date of the second before has an age.
BY_CHANCE = {"CURRENT_AGE"}


class Examination:
    """One run over one address: its notes as lines, and explanations of the bad ones."""

    def __init__(self, base: str) -> None:
        self.base = base
        parser = ConfigParser()
        parser.read_dict({"redbot": {"enable_local_access": "True"}})
        self.config = parser["redbot"]
        self.known: dict[str, dict[str, str]] = {}
        self.lines: list[str] = []
        self.faults: list[str] = []

    def run(self) -> None:
        """All in one run of the loop, one after the other: redbot keeps connections, which a loop that stops loses."""
        left = iter(ASKED)

        def go_on() -> None:
            ask = next(left, None)
            if ask is None:
                thor.stop()
            else:
                self.ask(ask, go_on)

        go_on()
        thor.run()

    def ask(self, ask: Ask, then: Callable[[], None]) -> None:
        resource = HttpResource(self.config, active_checks_enabled=ask.examined)
        known = self.known.get(ask.path, {})
        fields = [(name, value.format(**known)) for name, value in ask.fields.items()]
        resource.set_request(self.base + ask.path, ask.method, fields)
        for fetcher in (resource, *resource.subreqs.values()):
            fetcher.response.request = fetcher.request  # what httplint says of some answers depends on it

        # redbot compares a range with one of the pieces in which the answer came. A short one would be no proof.
        def joined(_: bytes) -> None:
            pieces = resource.response_content_sample
            if len(pieces) > 1:
                pieces[:] = [(0, b"".join(piece for _, piece in pieces))]

        content = bytearray()
        resource.response_content_processors += [joined, content.extend]

        @thor.events.on(resource)
        def check_done() -> None:
            self.take(ask, resource, bytes(content))
            then()

        resource.check()

    def take(self, ask: Ask, resource: HttpResource, content: bytes) -> None:
        response = resource.response
        if ask.method == "GET" and not ask.fields:
            self.known[ask.path] = {n.lower(): value.strip() for n, value in response.headers.text}
        self.fetched(str(ask), resource)
        for kind, further in resource.subreqs.items():
            if further.fetch_started:
                self.fetched(f"{ask} +{kind}", further)
        if several_parts(response):
            for i, part in enumerate(parts_of(response, content)):
                self.noted(f"{ask} part {i + 1}", part)

    def fetched(self, name: str, fetcher: RedFetcher) -> None:
        error = fetcher.fetch_error
        if error is not None:
            self.lines.append(f"{name} | no answer | bad | {type(error).__name__}")
            self.faults.append(f"{self.base} {name}: {error.desc} {error.detail}")
        self.noted(name, fetcher.response)

    def noted(self, name: str, response: HttpResponseLinter) -> None:
        coding = "".join(response.headers.parsed.get("content-encoding", []))
        start = f"{name} | {response.status_code}{coding and ' ' + coding} | "
        notes = [n for note in response.notes for n in (note, *note.subnotes)]
        found = set()
        for note in notes:
            what, level = type(note).__name__, note.level.value
            if what in BY_CHANCE:
                continue
            if what in MISTAKEN and MISTAKEN[what](response):
                level = "mistaken"
            if level == levels.BAD.value:
                self.faults.append(self.explained(name, note))
            found.add(f"{start}{level} | {what} | {note.subject}")
        self.lines += sorted(found) or [start + "no note"]

    def explained(self, name: str, note: Note) -> str:
        text = textwrap.indent(textwrap.fill(note.detail.striptags(), 110), "    ")
        return f"{self.base} {name}: {type(note).__name__}: {note.summary}\n{text}"


def parts_of(response: HttpResponseLinter, content: bytes) -> Iterable[HttpResponseLinter]:
    """The parts of a multipart/byteranges, each as the 206 that it would be alone (RFC 9110 14.6)."""
    head = next(value for name, value in response.headers.text if name.lower() == "content-type")
    for part in message_from_bytes(f"Content-Type: {head}\r\n\r\n".encode() + content).get_payload():
        linter = HttpResponseLinter()
        linter.process_response_topline(b"1.1", b"206", b"Partial Content")
        linter.process_headers([(n.encode(), value.encode()) for n, value in part.items()])
        linter.feed_content(part.get_payload(decode=True))
        linter.finish_content(True)
        yield linter


def without_common(lines: list[str]) -> Iterable[str]:
    """What is noted about every answer is said once; of each answer at least one line is left."""
    answers: dict[str, list[str]] = {}
    for line in lines:
        name, status, note = line.split(" | ", 2)
        answers.setdefault(f"{name} | {status} | ", []).append(note)
    whole = [notes for answer, notes in answers.items() if " part " not in answer]
    common = sorted(set(whole[0]).intersection(*whole))
    yield from (f"every answer | {note}" for note in common)
    for answer, notes in answers.items():
        yield from (answer + note for note in [n for n in notes if n not in common] or ["no other note"])


def main(bases: list[str]) -> int:
    runs = [Examination(base) for base in bases]
    for run in runs:
        run.run()
    first, *others = [list(without_common(run.lines)) for run in runs]
    print("\n".join(first))
    for base, lines in zip(bases[1:], others):
        scheme = base.partition(":")[0]
        lacking = [f"{scheme} lacks: {line}" for line in first if line not in lines]
        adding = [f"{scheme} adds: {line}" for line in lines if line not in first]
        print("\n".join(lacking + adding or [f"{scheme}: the same"]))
    faults = [fault for run in runs for fault in run.faults]
    sys.stderr.writelines(fault + "\n" for fault in faults)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

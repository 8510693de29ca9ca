"""Loads a workspace's captures into captures.jsonl, and keeps them current when run again: python3 first_load.py"""

import gzip
import http.client
import json
import os
import random
import time
import urllib.error
import urllib.request
import zlib

WAITS_SECONDS = [1, 2, 4, 8, 16, 32, 60]


def stored_cursor(path):
    """The last one in the file. What is behind it came from a connection that broke."""
    cursor, keep, position = None, 0, 0
    with open(path, "ab+") as file:
        file.seek(0)
        for line in file:
            position += len(line)
            if line.startswith(b'{"pageInfo"') and line.endswith(b"\n"):
                cursor, keep = json.loads(line)["pageInfo"]["endCursor"] or cursor, position
        file.truncate(keep)
    return cursor


def load(feed):
    """Appends to a file. Returns whether everything up to the end has come."""
    path = f"{feed}.jsonl"
    cursor = stored_cursor(path)
    request = urllib.request.Request(
        f"{os.environ['BASE_URL']}/api/v1/{feed}{f'?after={cursor}' if cursor else ''}",
        headers={"Accept": "application/x-ndjson", "Accept-Encoding": "gzip"})
    request.add_unredirected_header("Authorization", f"Bearer {os.environ['API_KEY']}")
    line = b""
    with urllib.request.urlopen(request, timeout=60) as stream, open(path, "ab") as file:
        for line in gzip.open(stream) if stream.headers["Content-Encoding"] else stream:
            file.write(line)
    return line.startswith(b'{"pageInfo"') and not json.loads(line)["pageInfo"]["hasNextPage"]


def load_all(feed):
    for wait in WAITS_SECONDS + [None]:
        try:
            if load(feed):
                return
            problem = f"the response of {feed} ended early"
        except urllib.error.HTTPError as refused:
            problem = f"{refused.code} {refused.read().decode()}"
            if refused.code != 429 and refused.code < 500:
                raise SystemExit(problem)
        except (OSError, EOFError, zlib.error, http.client.HTTPException) as broken:
            problem = repr(broken)
        if wait is None:
            raise SystemExit(problem)
        time.sleep(wait * random.uniform(1, 1.5))


def replace(path, lines):
    with open(f"{path}.new", "wb") as file:
        file.writelines(lines)
        file.flush()
        os.fsync(file.fileno())
    os.replace(f"{path}.new", path)


def apply_changes():
    """Replaces what changed, and removes what was erased. Then only the cursor of the changes is left in their file."""
    newest, position = {}, 0  # where the newest change of each capture is
    with open("changes.jsonl", "rb") as changes:
        for line in changes:
            if not line.startswith(b'{"pageInfo"'):
                newest[json.loads(line)["id"]] = position
            position += len(line)

    def current():
        with open("captures.jsonl", "rb") as captures, open("changes.jsonl", "rb") as changes:
            for line in captures:
                at = newest.get(json.loads(line).get("id"))
                if at is None:
                    yield line
                    continue
                changes.seek(at)
                capture = json.loads(changes.readline())["capture"]
                if capture:
                    yield json.dumps(capture).encode() + b"\n"

    if newest:
        replace("captures.jsonl", current())
        end = {"pageInfo": {"endCursor": stored_cursor("changes.jsonl"), "hasNextPage": False}}
        replace("changes.jsonl", [json.dumps(end, separators=(",", ":")).encode() + b"\n"])


os.umask(0o077)  # only for whoever runs this
load_all("captures")
load_all("changes")  # in this order: what is loaded and changes meanwhile is replaced, too
apply_changes()

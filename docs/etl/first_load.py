"""Loads a workspace's stream into captures.jsonl, or what was added since: python3 first_load.py"""

import gzip
import http.client
import json
import os
import random
import time
import urllib.error
import urllib.request
import zlib

FILE = "captures.jsonl"
WAITS_SECONDS = [1, 2, 4, 8, 16, 32, 60]


def stored_cursor():
    """The last one in the file. What is behind it came from a connection that broke."""
    cursor, keep, position = None, 0, 0
    with open(FILE, "ab+") as file:
        file.seek(0)
        for line in file:
            position += len(line)
            if line.startswith(b'{"pageInfo"') and line.endswith(b"\n"):
                cursor, keep = json.loads(line)["pageInfo"]["endCursor"] or cursor, position
        file.truncate(keep)
    return cursor


def load():
    """Whether everything up to the end of the stream has come."""
    cursor = stored_cursor()
    request = urllib.request.Request(
        f"{os.environ['BASE_URL']}/api/v1/captures{f'?after={cursor}' if cursor else ''}",
        headers={
            "Accept": "application/x-ndjson",
            "Accept-Encoding": "gzip",
            "Authorization": f"Bearer {os.environ['API_KEY']}",
        })
    line = b""
    with urllib.request.urlopen(request, timeout=60) as stream, open(FILE, "ab") as file:
        for line in gzip.open(stream) if stream.headers["Content-Encoding"] else stream:
            file.write(line)
    return line.startswith(b'{"pageInfo"') and not json.loads(line)["pageInfo"]["hasNextPage"]


for wait in WAITS_SECONDS + [None]:
    try:
        if load():
            break
        problem = "the stream ended early"
    except urllib.error.HTTPError as refused:
        problem = f"{refused.code} {refused.read().decode()}"
        if refused.code != 429 and refused.code < 500:
            raise SystemExit(problem)
    except (OSError, EOFError, zlib.error, http.client.HTTPException) as broken:
        problem = repr(broken)
    if wait is None:
        raise SystemExit(problem)
    time.sleep(wait * random.uniform(1, 1.5))

"""A Fivetran connector for a workspace's transcripts: fivetran debug --configuration configuration.json"""

import gzip
import http.client
import json
import random
import time
import urllib.error
import urllib.parse
import urllib.request

from fivetran_connector_sdk import Connector
from fivetran_connector_sdk import Operations as op

WAITS_SECONDS = [1, 2, 4, 8, 16, 32, 60]
COLUMNS = {
    "id": "STRING",
    "workspace_id": "STRING",
    "mode": "STRING",
    "title": "STRING",
    "summary": "STRING",
    "started_at": "UTC_DATETIME",
    "ended_at": "UTC_DATETIME",
    "duration_ms": "LONG",
    "device": "JSON",
    "participants": "JSON",
    "segments": "JSON",
    "transcript_text": "STRING",
    "emitted_at": "UTC_DATETIME",
}


def schema(configuration):
    return [{"table": "captures", "primary_key": ["id"], "columns": COLUMNS}]


def request(configuration, feed, cursor):
    query = urllib.parse.urlencode({"limit": 100, **({"after": cursor} if cursor else {})})
    page = urllib.request.Request(
        f"{configuration['base_url']}/api/v1/{feed}?{query}", headers={"Accept-Encoding": "gzip"})
    page.add_unredirected_header("Authorization", f"Bearer {configuration['api_key']}")
    return page


def page_after(*place):
    for wait in WAITS_SECONDS:
        try:
            with urllib.request.urlopen(request(*place), timeout=60) as response:
                body = response.read()
                return json.loads(gzip.decompress(body) if response.headers["Content-Encoding"] else body)
        except urllib.error.HTTPError as refused:
            if refused.code != 429 and refused.code < 500:
                raise RuntimeError(f"{refused.code} {refused.read().decode()}") from refused
            retry_after = refused.headers.get("Retry-After", "")
            wait = int(retry_after) if retry_after.isdigit() else wait
        except (OSError, EOFError, http.client.HTTPException):
            pass  # no connection, or one that broke within the page
        time.sleep(wait * random.uniform(1, 1.5))
    raise RuntimeError(f"no page of {place[1]} after {len(WAITS_SECONDS)} attempts")


def store(capture):
    op.upsert("captures", {column: capture[column] for column in COLUMNS})


def erase(id):
    op.update("captures", {**dict.fromkeys(COLUMNS), "id": id})  # a deleted row keeps its values otherwise
    op.delete("captures", {"id": id})


def update(configuration, state):
    for feed in ("captures", "changes"):  # in this order: what is read and changes meanwhile is replaced, too
        more = True
        while more:
            page = page_after(configuration, feed, state.get(feed))
            for entry in page[feed]:
                capture = entry["capture"] if feed == "changes" else entry
                if capture:
                    store(capture)
                else:
                    erase(entry["id"])
            state[feed] = page["pageInfo"]["endCursor"] or state.get(feed)
            op.checkpoint(state)
            more = page["pageInfo"]["hasNextPage"]


connector = Connector(update=update, schema=schema)

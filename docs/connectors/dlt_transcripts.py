"""Loads a workspace's transcripts and keeps them current, with dlt: python3 dlt_transcripts.py"""

import os

import dlt
from dlt.sources.helpers.rest_client.paginators import JSONResponseCursorPaginator
from dlt.sources.rest_api import rest_api_resources


ERASED_REVISION = 2**63 - 1  # the highest


class RememberedCursor(JSONResponseCursorPaginator):
    """Puts the cursor into the state that dlt commits together with what it covers."""

    def __init__(self, name):
        super().__init__(
            cursor_path="pageInfo.endCursor", cursor_param="after", has_more_path="pageInfo.hasNextPage")
        self.name = name

    def update_state(self, response, data=None):
        super().update_state(response, data)
        cursor = response.json()["pageInfo"]["endCursor"]
        if cursor:
            dlt.current.source_state()[self.name] = cursor


def row(change):
    if change["change"] == "erased":
        return {"id": change["id"], "revision": ERASED_REVISION, "erased": True}
    return {**change["capture"], "revision": change["revision"]}


def resource(name, params, **more):
    cursor = dlt.current.source_state().get(name)
    return {
        "name": name,
        "table_name": "captures",
        "primary_key": "id",
        "write_disposition": "merge",
        "columns": {
            "revision": {"data_type": "bigint", "dedup_sort": "desc"},
            "erased": {"data_type": "bool", "hard_delete": True},
        },
        "endpoint": {
            "path": name,
            "params": {"limit": 100, **params, **({"after": cursor} if cursor else {})},
            "data_selector": name,
            "paginator": RememberedCursor(name),
        },
        **more,
    }


@dlt.source
def transcripts(base_url, api_key):
    wait = os.environ.get("WAIT", "0")  # seconds, when there is nothing new
    yield from rest_api_resources({
        "client": {
            "base_url": f"{base_url}/api/v1/",
            "auth": {"type": "bearer", "token": api_key},
        },
        "resources": [
            resource("captures", {"wait": wait}),
            resource("changes", {}, processing_steps=[{"map": row}]),
        ],
    })


if __name__ == "__main__":
    os.umask(0o077)  # files only for whoever runs this
    dlt.config["load.delete_completed_jobs"] = True  # dlt would keep the text of every load, also of what is erased
    pipeline = dlt.pipeline("transcripts", destination="duckdb", dataset_name="conversations")
    for name in ("captures", "changes"):  # in this order: what is loaded and changes meanwhile is replaced, too
        source = transcripts(os.environ["BASE_URL"], os.environ["API_KEY"])
        print(pipeline.run(source.with_resources(name)))

"""Loads what is new in a workspace's transcripts, with dlt: python3 dlt_transcripts.py"""

import os

import dlt
from dlt.sources.rest_api import rest_api_resources


def remember_cursor(response, *args, **kwargs):
    cursor = response.json()["pageInfo"]["endCursor"]
    if cursor:
        dlt.current.source_state()["cursor"] = cursor


@dlt.source
def transcripts(base_url, api_key):
    cursor = dlt.current.source_state().get("cursor")
    yield from rest_api_resources({
        "client": {
            "base_url": f"{base_url}/api/v1/",
            "auth": {"type": "bearer", "token": api_key},
            "paginator": {
                "type": "cursor",
                "cursor_path": "pageInfo.endCursor",
                "cursor_param": "after",
                "has_more_path": "pageInfo.hasNextPage",
            },
        },
        "resources": [{
            "name": "captures",
            "primary_key": "id",
            "write_disposition": "append",
            "endpoint": {
                "path": "captures",
                "params": {"limit": 100, **({"after": cursor} if cursor else {})},
                "data_selector": "captures",
                "response_actions": [{"status_code": 200, "action": remember_cursor}],
            },
        }],
    })


if __name__ == "__main__":
    pipeline = dlt.pipeline("transcripts", destination="duckdb", dataset_name="conversations")
    print(pipeline.run(transcripts(os.environ["BASE_URL"], os.environ["API_KEY"])))

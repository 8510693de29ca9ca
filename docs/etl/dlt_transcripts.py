"""Loads what is new in a workspace's transcripts, with dlt: python3 dlt_transcripts.py"""

import os

import dlt
from dlt.sources.helpers.rest_client.paginators import JSONResponseCursorPaginator
from dlt.sources.rest_api import rest_api_resources


class RememberedCursor(JSONResponseCursorPaginator):
    """Puts the cursor into the state that dlt commits together with the captures before it."""

    def update_state(self, response, data=None):
        super().update_state(response, data)
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
            "paginator": RememberedCursor(
                cursor_path="pageInfo.endCursor",
                cursor_param="after",
                has_more_path="pageInfo.hasNextPage",
            ),
        },
        "resources": [{
            "name": "captures",
            "primary_key": "id",
            "write_disposition": "append",
            "endpoint": {
                "path": "captures",
                "params": {
                    "limit": 100,
                    "wait": os.environ.get("WAIT", "0"),  # seconds, when there is nothing new
                    **({"after": cursor} if cursor else {}),
                },
                "data_selector": "captures",
            },
        }],
    })


if __name__ == "__main__":
    pipeline = dlt.pipeline("transcripts", destination="duckdb", dataset_name="conversations")
    print(pipeline.run(transcripts(os.environ["BASE_URL"], os.environ["API_KEY"])))

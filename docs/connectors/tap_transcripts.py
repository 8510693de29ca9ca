"""A Singer tap for a workspace's transcripts: python3 tap_transcripts.py --config config.json"""

from singer_sdk import RESTStream, Tap
from singer_sdk import typing as th
from singer_sdk.authenticators import BearerTokenAuthenticator
from singer_sdk.pagination import BaseAPIPaginator

Objects = th.ArrayType(th.ObjectType(additional_properties=True))


class PageInfo(BaseAPIPaginator):
    def has_more(self, response):
        return response.json()["pageInfo"]["hasNextPage"]

    def get_next(self, response):
        return response.json()["pageInfo"]["endCursor"]


class Captures(RESTStream):
    """Emits new captures, then those that changed, and of those that were erased the id and _sdc_deleted_at."""

    name = "captures"
    primary_keys = ("id",)
    feed = "captures"
    schema = th.PropertiesList(
        th.Property("id", th.UUIDType, required=True),
        th.Property("workspace_id", th.UUIDType),
        th.Property("mode", th.StringType),
        th.Property("title", th.StringType),
        th.Property("summary", th.StringType),
        th.Property("started_at", th.DateTimeType),
        th.Property("ended_at", th.DateTimeType),
        th.Property("duration_ms", th.IntegerType),
        th.Property("device", th.ObjectType(additional_properties=True)),
        th.Property("participants", Objects),
        th.Property("segments", Objects),
        th.Property("transcript_text", th.StringType),
        th.Property("emitted_at", th.DateTimeType),
        th.Property("_sdc_deleted_at", th.DateTimeType),
        additional_properties=True,
    ).to_dict()

    @property
    def url_base(self):
        return self.config["base_url"]

    @property
    def authenticator(self):
        return BearerTokenAuthenticator(token=self.config["api_key"])

    @property
    def path(self):
        return f"/api/v1/{self.feed}"

    @property
    def records_jsonpath(self):
        return f"$.{self.feed}[*]"

    def get_records(self, context):
        for self.feed in ("captures", "changes"):  # in this order: what changes meanwhile is emitted again
            yield from super().get_records(context)

    def get_new_paginator(self):
        return PageInfo(start_value=self.stream_state.get(self.feed))

    def get_url_params(self, context, next_page_token):
        return {"limit": 100, **({"after": next_page_token} if next_page_token else {})}

    def parse_response(self, response):
        yield from super().parse_response(response)
        cursor = response.json()["pageInfo"]["endCursor"]
        if cursor:  # only here, once every record of the page was taken
            self.stream_state[self.feed] = cursor

    def post_process(self, row, context=None):
        if self.feed == "captures":
            return row
        nothing = dict.fromkeys(self.schema["properties"])
        return row["capture"] or {**nothing, "id": row["id"], "_sdc_deleted_at": row["changed_at"]}


class TapTranscripts(Tap):
    name = "tap-transcripts"
    config_jsonschema = th.PropertiesList(
        th.Property("base_url", th.StringType, required=True),
        th.Property("api_key", th.StringType, required=True, secret=True),
    ).to_dict()

    def discover_streams(self):
        return [Captures(self)]


if __name__ == "__main__":
    TapTranscripts.cli()

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
    name = "captures"
    path = "/api/v1/captures"
    primary_keys = ("id",)
    records_jsonpath = "$.captures[*]"
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
        additional_properties=True,
    ).to_dict()

    @property
    def url_base(self):
        return self.config["base_url"]

    @property
    def authenticator(self):
        return BearerTokenAuthenticator(token=self.config["api_key"])

    def get_new_paginator(self):
        return PageInfo(start_value=self.stream_state.get("cursor"))

    def get_url_params(self, context, next_page_token):
        return {"limit": 100, **({"after": next_page_token} if next_page_token else {})}

    def parse_response(self, response):
        yield from super().parse_response(response)
        cursor = response.json()["pageInfo"]["endCursor"]
        if cursor:  # only here, once every record of the page was taken
            self.stream_state["cursor"] = cursor


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

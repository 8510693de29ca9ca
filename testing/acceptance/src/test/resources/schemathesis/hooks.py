"""What schemathesis is told about the service: what no schema can say."""

import json

import schemathesis
from schemathesis.specs.openapi.checks import positive_data_acceptance

# Why the service refuses what the schemas allow: an answer has one of these.
NO_SCHEMA_SAYS = [
    "after must be one cursor",
    "after is a cursor of another history",
    "start must be now",
    "start is for the first request",
    "must be after from",
    "must not be less than from_position",
    "must not contain the character",
    "must be visible characters",
    "no participant has the label",
    "must be null without a member",
    "must be the id in the path",
    "exclude each other",
    "expires_in, expires_at or expect_within is required",
    "only one of expires_in and expires_at is possible",
    "the certificate cannot be read",
    "must be at most",
    "must be in the future",
    "from_position or from is required",
    "exactly one of from_position, from and to_end",
    "is only for the delivery stream",
    "an endpoint with the delivery stream gets",
    "from: cannot be combined with full_history",
    "url: ",
    "is not a name of a header",
    # To JSON Schema, 484.0 is an integer.
    "must be an integer, not",
    # To schemathesis, an empty text has every format.
    "must be an instant such as 2026-01-31T09:30:00Z, not \\\"\\\"",
]


# The other phases take values from answers, so that their requests are not the same in every run.
SAME_IN_EVERY_RUN = ("examples", "coverage")


@schemathesis.check
def accepts_what_the_schemas_allow(ctx, response, case):
    if case.meta is None or case.meta.phase.name not in SAME_IN_EVERY_RUN:
        return None
    if response.status_code == 400 and any(reason in response.text for reason in NO_SCHEMA_SAYS):
        return None
    return positive_data_acceptance(ctx, response, case)


@schemathesis.serializer("application/x-ndjson")
def ndjson(ctx, value):
    lines = value if isinstance(value, list) else [value]
    return "\n".join(json.dumps(line) for line in lines)

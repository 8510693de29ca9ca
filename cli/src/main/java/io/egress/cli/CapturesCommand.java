package io.egress.cli;

import io.vertx.core.json.JsonObject;
import java.util.UUID;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code egress captures}. */
@Command(
    name = "captures",
    description = {
      "Erases captures.",
      "The token is EGRESS_INTERNAL_TOKEN, or the one stored in EGRESS_DATA_DIR."
    })
final class CapturesCommand {
  @Mixin private InternalApiOptions internal = new InternalApiOptions();

  @Command(
      name = "erase",
      description = {
        "Erases what a capture says, for good.",
        "Readers of the stream learn of it, and of the reason, from GET /api/v1/erasures."
      })
  int erase(
      @Parameters(paramLabel = "CAPTURE-ID") UUID id,
      @Option(
              names = "--reason",
              required = true,
              description = "why, for readers and the audit log")
          String reason,
      @Option(names = "--json", description = "print JSON") boolean json) {
    JsonObject erased =
        internal.api().call("DELETE", "/captures/" + id, new JsonObject().put("reason", reason));
    System.out.println(
        json ? erased.encodePrettily() : "Erased at %s".formatted(erased.getString("erased_at")));
    return 0;
  }
}

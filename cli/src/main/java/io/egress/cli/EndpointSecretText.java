package io.egress.cli;

import io.egress.webhook.endpoint.StandardWebhooks;
import io.vertx.core.json.JsonObject;
import java.io.PrintWriter;

/** The secret of an endpoint as text, in the forms that its receiver may need. */
final class EndpointSecretText {
  private EndpointSecretText() {}

  /** The form that most receivers of this endpoint need comes first. */
  static void print(JsonObject endpoint, PrintWriter out) {
    String plain = "secret  " + endpoint.getString("secret") + "\n  for x-service-signature\n";
    String standard =
        "standard-webhooks  "
            + endpoint.getString("standard_webhooks_secret")
            + "\n  the same secret for libraries of Standard Webhooks and Svix\n";
    out.print(
        switch (StandardWebhooks.of(endpoint.getValue("standard_webhooks", false))) {
          case OFF -> plain + standard;
          case HMAC -> standard + plain;
          case ED25519 -> plain + publicKeys(endpoint);
        });
  }

  private static String publicKeys(JsonObject endpoint) {
    StringBuilder lines = new StringBuilder();
    for (Object each : endpoint.getJsonArray("public_keys")) {
      JsonObject key = (JsonObject) each;
      String until = key.getString("signs_until");
      lines
          .append("public-key  ")
          .append(key.getString("public_key"))
          .append(until == null ? "" : ", until " + until)
          .append('\n');
    }
    return lines + "  for webhook-signature\n";
  }
}

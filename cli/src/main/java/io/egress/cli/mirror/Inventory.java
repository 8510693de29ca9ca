package io.egress.cli.mirror;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.egress.transcript.text.CaptureDocument;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** The lines of {@code GET /api/v1/inventory}. */
final class Inventory {
  private Inventory() {}

  /** Fails without the last line, which has the number of captures. */
  static Map<UUID, Optional<Instant>> parse(InputStream body) throws IOException {
    Map<UUID, Optional<Instant>> captures = new HashMap<>();
    Object total = null;
    try (BufferedReader lines = new BufferedReader(new InputStreamReader(body, UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        JsonObject entry = new JsonObject(line);
        total = entry.getValue("captures");
        if (total == null) {
          Object changedAt = entry.getValue("changed_at");
          captures.put(
              CaptureDocument.id(entry.getValue("id")),
              changedAt == null ? Optional.empty() : Optional.of(CaptureDocument.time(changedAt)));
        }
      }
    } catch (DecodeException broken) {
      throw new IOException("the inventory broke off", broken);
    }
    if (!(total instanceof Number number) || number.longValue() != captures.size()) {
      throw new IOException("the inventory broke off");
    }
    return captures;
  }
}

package io.egress.api.portal.view;

import static java.util.Objects.requireNonNull;

import java.util.List;

/**
 * Code that verifies webhooks.
 *
 * @param id of its element
 * @param command runs it; contains the secret's place
 * @param parts of the code, between which is the secret's place
 */
public record ReceiverCode(
    String id, String language, String command, String place, List<String> parts) {
  public ReceiverCode {
    requireNonNull(id, "id is null");
    requireNonNull(language, "language is null");
    requireNonNull(command, "command is null");
    requireNonNull(place, "place is null");
    parts = List.copyOf(parts);
  }
}

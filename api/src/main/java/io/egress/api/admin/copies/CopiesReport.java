package io.egress.api.admin.copies;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonValue;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Who has, or may have, a copy of a capture. Nothing of the capture's content is in it.
 *
 * @param position null if the capture was never in the stream, so that nobody was sent it
 * @param changedAt the newest change after it entered the stream; null if there was none
 */
public record CopiesReport(
    UUID id,
    UUID workspaceId,
    @Nullable Long position,
    @Nullable Instant enteredAt,
    @Nullable Instant changedAt,
    @Nullable Instant erasedAt,
    @Nullable String erasedReason,
    List<OfKey> keys,
    List<OfEndpoint> endpoints) {
  public CopiesReport {
    keys = List.copyOf(keys);
    endpoints = List.copyOf(endpoints);
  }

  /** It is never less than what happened. */
  public enum Sent {
    YES,
    POSSIBLY,
    NO;

    @JsonValue
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * An API key, even if it was deleted.
   *
   * @param sent possibly: it has read the changes, or captures by id
   * @param readsById whether it has read captures by id
   * @param told whether the newest change was sent to it; null if there was none
   */
  public record OfKey(
      UUID keyId,
      String name,
      String lastFour,
      Instant createdAt,
      @Nullable Instant lastUsedAt,
      @Nullable Instant endedAt,
      Sent sent,
      boolean readsById,
      @Nullable Boolean told) {}

  /**
   * An endpoint that was owed the capture, even if it was deleted.
   *
   * @param sent yes if it was accepted; possibly otherwise, as an attempt may have reached it
   * @param unreached whether it was not accepted, and every attempt that the delivery log has
   *     failed before the request was sent
   * @param deliveredAt the first success, as long as the delivery log has it
   * @param day the day of the log that had the delivery, after that
   * @param revision the highest that was accepted, as long as the delivery log has it
   * @param updatedAt the newest update that was accepted
   * @param erasedAt when it accepted the notification of the erasure
   * @param told whether it has accepted the newest change; null if there was none
   */
  public record OfEndpoint(
      UUID endpointId,
      String url,
      @Nullable String description,
      @Nullable Instant deletedAt,
      Sent sent,
      boolean unreached,
      @Nullable Instant deliveredAt,
      @Nullable LocalDate day,
      @Nullable Long revision,
      @Nullable Instant updatedAt,
      @Nullable Instant erasedAt,
      @Nullable Boolean told) {}

  /** How many may have a copy, and have not received the newest change. */
  @JsonProperty
  public long untold() {
    return keys.stream()
            .filter(key -> key.sent() != Sent.NO && Boolean.FALSE.equals(key.told()))
            .count()
        + endpoints.stream().filter(endpoint -> Boolean.FALSE.equals(endpoint.told())).count();
  }
}

package io.egress.webhook.delivery;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** What a webhook is sent for. */
public enum Event {
  /** Every endpoint subscribes to it. */
  CAPTURE_PROCESSED("capture.processed"),
  /** The document has changed. */
  CAPTURE_UPDATED("capture.updated"),
  CAPTURE_ERASED("capture.erased"),
  /** A page of the stream, to endpoints that are sent no captures by themselves. */
  CAPTURES_PAGE("captures.page"),
  /** A page of what has become of captures, to the same endpoints. */
  CHANGES_PAGE("changes.page");

  /** Those that an endpoint may subscribe to. */
  public static final List<Event> OF_CAPTURES =
      List.of(CAPTURE_PROCESSED, CAPTURE_UPDATED, CAPTURE_ERASED);

  private final String word;

  Event(String word) {
    this.word = word;
  }

  @JsonValue
  public String word() {
    return word;
  }

  public static Optional<Event> find(String word) {
    return Arrays.stream(values()).filter(event -> event.word.equals(word)).findFirst();
  }

  public static List<String> words(Collection<Event> events) {
    return events.stream().map(Event::word).toList();
  }
}

package io.egress.api.intake;

import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.UUID;

/** A place in a list in the order of creation. It holds when what was there is gone. */
public record CreationPlace(Instant createdAt, UUID id) {
  /** Before everything. */
  public static final CreationPlace FIRST = new CreationPlace(Instant.EPOCH, new UUID(0, 0));

  /** As PostgreSQL orders them: ids by their digits. */
  public static final Comparator<CreationPlace> ORDER =
      Comparator.comparing(CreationPlace::createdAt).thenComparing(place -> place.id().toString());

  /** As clients get it. */
  public String cursor() {
    return CursorText.encode(
        CursorText.micros(createdAt), id.getMostSignificantBits(), id.getLeastSignificantBits());
  }

  /** Empty if {@link #cursor} cannot have written the text. */
  public static Optional<CreationPlace> decode(String cursor) {
    return CursorText.decode(cursor, 3)
        .map(numbers ->
            new CreationPlace(CursorText.instant(numbers[0]), new UUID(numbers[1], numbers[2])));
  }
}

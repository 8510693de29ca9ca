package io.egress.webhook.queue;

import com.fasterxml.jackson.annotation.JsonValue;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything owed at a time is published to Kafka again.
 *
 * @param findings what showed that the queue was lost; empty if the rebuild was requested
 * @param published deliveries, so far
 * @param nextDueAt when the next pending delivery is due; null if unknown, or if there is none
 */
public record Rebuild(
    long id,
    Reason reason,
    List<String> findings,
    State state,
    Instant requestedAt,
    long published,
    @Nullable Instant nextDueAt,
    @Nullable Instant finishedAt) {
  /** Why it was begun. */
  public enum Reason {
    REQUESTED("requested"),
    LOST("lost");

    private final String word;

    Reason(String word) {
      this.word = word;
    }

    @JsonValue
    public String word() {
      return word;
    }

    static Reason of(String word) {
      return word.equals(LOST.word) ? LOST : REQUESTED;
    }
  }

  /** How far it is. */
  public enum State {
    /** No dispatcher has begun. */
    REQUESTED("requested"),
    RUNNING("running"),
    /** What is due was published; the rest follows when it is due. */
    WAITING("waiting"),
    FINISHED("finished");

    private final String word;

    State(String word) {
      this.word = word;
    }

    @JsonValue
    public String word() {
      return word;
    }

    static State of(String word) {
      for (State state : values()) {
        if (state.word.equals(word)) {
          return state;
        }
      }
      throw new IllegalArgumentException("no state is called " + word);
    }
  }

  public Rebuild {
    findings = List.copyOf(findings);
  }
}

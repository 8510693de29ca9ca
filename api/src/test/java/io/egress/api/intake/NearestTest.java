package io.egress.api.intake;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class NearestTest {
  private static final List<String> KNOWN = List.of("capture_id", "limit", "outcome", "state");

  @Test
  void namesWhatWasMeant() {
    assertThat(Nearest.hint("stat", KNOWN)).isEqualTo("; did you mean state?");
    assertThat(Nearest.hint("captureid", KNOWN)).isEqualTo("; did you mean capture_id?");
    assertThat(Nearest.hint("lmit", KNOWN)).isEqualTo("; did you mean limit?");
  }

  @Test
  void orAllThatThereAre() {
    assertThat(Nearest.hint("colour", KNOWN))
        .isEqualTo("; the known ones are capture_id, limit, outcome, state");
    assertThat(Nearest.hint("q", List.of("search"))).isEqualTo("; the only known one is search");
    assertThat(Nearest.hint("state", List.of())).isEqualTo("; this call has none");
  }

  @Test
  void countsChanges() {
    assertThat(Nearest.distance("", "abc")).isEqualTo(3);
    assertThat(Nearest.distance("kitten", "sitting")).isEqualTo(3);
    assertThat(Nearest.distance("same", "same")).isZero();
  }
}

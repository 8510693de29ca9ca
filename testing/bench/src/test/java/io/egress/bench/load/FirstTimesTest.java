package io.egress.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class FirstTimesTest {
  @Test
  void agreesWithAMap() {
    Random random = new Random(17);
    FirstTimes times = new FirstTimes();
    Map<UUID, Long> map = new HashMap<>();
    for (long now = 0; now < 100_000; now++) {
      UUID id = new UUID(random.nextInt(300), random.nextInt(300));
      assertThat(times.add(id, now)).isEqualTo(map.putIfAbsent(id, now) == null);
    }

    assertThat(times.size()).isEqualTo(map.size());
    map.forEach((id, first) -> assertThat(times.of(id)).hasValue(first));
    assertThat(times.of(new UUID(300, 300))).isEmpty();
  }
}

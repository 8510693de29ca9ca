package io.egress.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GcLogTest {
  @Test
  void findsThePeakAndTheHeapAfterCollections(@TempDir Path folder) throws Exception {
    Path log = folder.resolve("gc.log");
    Files.writeString(
        log,
        """
        [0.010s][info][gc] Using G1
        [1.210s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 300M->28M(512M) 3.201ms
        [1.300s][info][gc] GC(1) Concurrent Mark Cycle
        [1.400s][info][gc] GC(1) Pause Remark 150M->140M(512M) 1.000ms
        [2.000s][info][gc] GC(2) Pause Full (Diagnostic Command) 41M->12M(64M) 20.1ms
        """);

    assertThat(GcLog.read(log)).isEqualTo(new GcLog(300, 140, 12));
  }
}

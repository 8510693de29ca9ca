package io.egress.bench.load;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalDouble;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the rows that a page needs with PostgreSQL's own load tool, without any service around it.
 */
final class PgBench {
  private static final Pattern TPS = Pattern.compile("tps = ([0-9.]+)");

  private PgBench() {}

  /** Pages per second; empty if {@code pgbench} is not installed. */
  static OptionalDouble pagesPerSecond(
      String databaseUrl, UUID workspace, int documents, int clients, int seconds) {
    try {
      Path script = Files.createTempFile("egress-pages", ".sql");
      Files.writeString(
          script,
          """
          \\set p random(0, %d)
          select d.capture_id, d.length, d.crc32, d.deflated from stream s
          join documents d on d.capture_id = s.capture_id
          where s.workspace_id = '%s' and s.position > :p order by s.position limit 100;
          """
              .formatted(documents - 100, workspace));
      Process run =
          new ProcessBuilder(
                  "pgbench",
                  "--no-vacuum",
                  "--protocol=prepared",
                  "--client=" + clients,
                  "--jobs=2",
                  "--time=" + seconds,
                  "--file=" + script,
                  databaseUrl)
              .redirectErrorStream(true)
              .start();
      String told;
      try (InputStream output = run.getInputStream()) {
        told = new String(output.readAllBytes(), StandardCharsets.UTF_8);
      }
      Files.delete(script);
      Matcher tps = TPS.matcher(told);
      return tps.find()
          ? OptionalDouble.of(Double.parseDouble(tps.group(1)))
          : OptionalDouble.empty();
    } catch (IOException notInstalled) {
      return OptionalDouble.empty();
    }
  }
}

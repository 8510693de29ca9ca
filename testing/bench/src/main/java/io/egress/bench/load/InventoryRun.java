package io.egress.bench.load;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Arrays;
import java.util.OptionalDouble;
import java.util.UUID;

/** Reads an inventory, in turns with {@code psql} copying the same columns. */
final class InventoryRun {
  private final URI uri;
  private final String key;
  private final String databaseUrl;
  private final UUID workspace;

  InventoryRun(int port, String key, String databaseUrl, UUID workspace) {
    this.uri = URI.create("http://127.0.0.1:" + port + "/api/v1/inventory");
    this.key = key;
    this.databaseUrl = databaseUrl;
    this.workspace = workspace;
  }

  void compare(int rounds) throws IOException, InterruptedException {
    double[] plain = new double[rounds];
    double[] gzip = new double[rounds];
    double[] copied = new double[rounds];
    for (int round = 0; round < rounds; round++) {
      plain[round] = read("identity");
      gzip[round] = read("gzip");
      copied[round] = copy().orElse(Double.NaN);
    }
    System.out.printf(
        "the inventory in %.1f s, compressed in %.1f s; psql copies the same columns in %.1f s"
            + " (medians of %d)%n",
        median(plain), median(gzip), median(copied), rounds);
  }

  private double read(String encoding) throws IOException, InterruptedException {
    long start = System.nanoTime();
    HttpRequest request =
        HttpRequest.newBuilder(uri)
            .header("authorization", "Bearer " + key)
            .header("accept-encoding", encoding)
            .build();
    try (HttpClient client = HttpClient.newHttpClient();
        InputStream body = client.send(request, BodyHandlers.ofInputStream()).body()) {
      body.transferTo(OutputStream.nullOutputStream());
    }
    return (System.nanoTime() - start) / 1e9;
  }

  /** Seconds; empty if {@code psql} is not installed. */
  private OptionalDouble copy() throws InterruptedException {
    long start = System.nanoTime();
    String copy =
        "copy (select s.capture_id, s.position, c.changed_at from stream s"
            + " left join changes c on c.capture_id = s.capture_id where s.workspace_id = '"
            + workspace
            + "' and c.erased is not true order by s.position) to stdout";
    try {
      Process psql =
          new ProcessBuilder("psql", "--quiet", databaseUrl, "--command", copy)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return psql.waitFor() == 0
          ? OptionalDouble.of((System.nanoTime() - start) / 1e9)
          : OptionalDouble.empty();
    } catch (IOException notInstalled) {
      return OptionalDouble.empty();
    }
  }

  private static double median(double[] seconds) {
    double[] sorted = seconds.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }
}

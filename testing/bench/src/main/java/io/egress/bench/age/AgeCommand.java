package io.egress.bench.age;

import io.egress.cli.StoredSecret;
import io.egress.webhook.endpoint.SecretBox;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Makes a database old and large. */
@Command(
    name = "age",
    description =
        "Fills an empty database as months of life would have: one large workspace and many small ones, a"
            + " delivery log of 30 days and what remains of the days before, changes, erasures, replays, keys and"
            + " the audit log. `./egress up` and the load suites can then run on it.")
public final class AgeCommand implements Callable<Integer> {
  @ArgGroup(multiplicity = "1")
  private Where where = new Where();

  private static final class Where {
    @Option(
        names = "--folder",
        description =
            "the data folder of `./egress up` (EGRESS_DATA_DIR), which must not exist yet")
    private @Nullable Path folder;

    @Option(
        names = "--database",
        description = "the URL of an empty database, whose role may create extensions")
    private @Nullable String url;
  }

  @Option(names = "--captures", defaultValue = "10000000", description = "how many captures")
  private long captures;

  @Option(names = "--months", defaultValue = "12", description = "over how many months")
  private int months;

  @Option(
      names = "--workspaces",
      defaultValue = "1000",
      description = "how many workspaces share what the large one leaves")
  private int workspaces;

  @Option(
      names = "--endpoints",
      defaultValue = "20",
      description = "how many endpoints the large workspace has")
  private int endpoints;

  private final long begun = System.nanoTime();

  @Override
  public Integer call() throws Exception {
    AgedDatabase.Size size = new AgedDatabase.Size(captures, months, workspaces, endpoints);
    Path folder = where.folder;
    String url = where.url;
    Map<String, String> environment = new HashMap<>(System.getenv());
    if (folder == null && url != null) {
      String key = environment.getOrDefault(StoredSecret.SECRET_KEY.setting(), SecretBox.newKey());
      AgedDatabase.fill(url, size, SecretBox.parse(key), this::print);
    } else if (folder != null) {
      AgedData.make(folder, size, AgedData.NEWEST, environment, this::print);
    }
    print("done. The large workspace is " + AgedDatabase.workspace(0));
    return 0;
  }

  private void print(String step) {
    System.out.printf(
        "%5d s  %s%n", TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun), step);
  }
}

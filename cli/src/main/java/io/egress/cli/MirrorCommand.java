package io.egress.cli;

import static java.util.Objects.requireNonNullElse;

import io.egress.cli.mirror.Mirror;
import io.egress.cli.mirror.MirrorCheck;
import io.egress.cli.mirror.MirrorFormat;
import io.egress.cli.mirror.MirrorLocation;
import io.egress.cli.mirror.PublicApi;
import java.io.PrintWriter;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code egress mirror}: a folder or a bucket that stays as a workspace is. */
@Command(
    name = "mirror",
    description = {
      "Keeps a folder or a bucket of S3 as a workspace is, with one file or object for each capture: new captures are "
          + "added, changed ones replaced, erased ones deleted with all their versions. It may be stopped at any moment; "
          + "the next run goes on.",
      "The API key is read from EGRESS_API_KEY."
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:The folder or bucket is as the workspace is; --watch was ended by Ctrl-C.",
      "1:It could not be made so, or --check has found a difference, or a lock of the bucket keeps erased text.",
      "2:The command line is invalid, or EGRESS_API_KEY is not set."
    },
    footer = {
      "",
      "Keep a folder of Markdown files current:",
      "  EGRESS_API_KEY=service_... egress mirror --to transcripts \\",
      "      --base-url https://transcripts.example.com --format markdown --watch",
      "Keep a bucket current:",
      "  EGRESS_API_KEY=service_... AWS_PROFILE=archive egress mirror \\",
      "      --to s3://archive/transcripts \\",
      "      --base-url https://transcripts.example.com --watch",
      "One of another maker than Amazon's:",
      "  EGRESS_API_KEY=service_... AWS_ENDPOINT_URL_S3=https://s3.example.com \\",
      "      egress mirror --to s3://archive/transcripts \\",
      "      --base-url https://transcripts.example.com",
      "See whether a folder is complete:",
      "  EGRESS_API_KEY=service_... egress mirror --to transcripts \\",
      "      --base-url https://transcripts.example.com --check"
    })
final class MirrorCommand implements Callable<Integer> {
  private static final String KEY = "EGRESS_API_KEY";
  private static final String ERASE_LINE = "\r\u001b[K";

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--base-url",
      paramLabel = "URL",
      required = true,
      description = "the service, for instance http://localhost:8080")
  private String baseUrl = "";

  @Option(
      names = "--to",
      paramLabel = "FOLDER|s3://BUCKET/PREFIX",
      required = true,
      description =
          "an empty folder, one to create, or one that this command has made; or the same with a prefix of a bucket of "
              + "S3, with endpoint, region and credentials from where the AWS tools take them")
  private String to = "";

  @Option(
      names = "--format",
      description =
          "json, the documents as they are, markdown, or vtt (that of the folder, or json)")
  private @Nullable String format;

  @Option(names = "--watch", description = "go on until Ctrl-C, which exits with 0")
  private boolean watch;

  @Option(
      names = "--check",
      description = "change nothing, and print which files are missing, stale or superfluous")
  private boolean check;

  @Option(
      names = "--repair",
      description =
          "read everything again, and delete captures that the workspace does not have: after --check has found a"
              + " difference that remains, or after the service was restored from a backup")
  private boolean repair;

  @Override
  public Integer call() throws InterruptedException {
    if (check && (watch || repair)) {
      throw wrong("--check changes nothing; leave --watch and --repair out");
    }
    MirrorLocation location = location();
    MirrorFormat chosen = format == null ? null : format(format);
    PublicApi api =
        new PublicApi(
            address(),
            key(),
            watch ? PublicApi.TRIES_WITHOUT_END : PublicApi.TRIES,
            line -> print(err(), line));
    if (check) {
      boolean complete =
          MirrorCheck.run(api, location, chosen, progress(), line -> print(out(), line));
      return complete ? 0 : 1;
    }
    try (Mirror mirror = Mirror.open(api, location, chosen, progress())) {
      if (repair) {
        mirror.repair();
      }
      if (watch) {
        watch(mirror);
      } else {
        mirror.run();
        print(out(), mirror.summary());
        Optional<String> remains = mirror.remains();
        if (remains.isPresent()) {
          print(err(), remains.get());
          return 1;
        }
      }
    }
    return 0;
  }

  /** Ends by a signal, with 0, or by a failure. */
  private void watch(Mirror mirror) throws InterruptedException {
    Thread stop = new Thread(() -> stop(mirror), "egress-mirror-stop");
    Runtime.getRuntime().addShutdownHook(stop);
    try {
      mirror.watch(line -> print(err(), line));
    } finally {
      Runtime.getRuntime().removeShutdownHook(stop);
    }
  }

  private void stop(Mirror mirror) {
    try {
      mirror.stop();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    print(out(), mirror.summary());
    Runtime.getRuntime().halt(0);
  }

  private MirrorLocation location() {
    try {
      return MirrorLocation.of(to);
    } catch (IllegalArgumentException notOne) {
      throw wrong(requireNonNullElse(notOne.getMessage(), "--to is wrong"));
    }
  }

  private String address() {
    String address = baseUrl.replaceFirst("/+$", "");
    try {
      URI url = new URI(address);
      String scheme = url.getScheme();
      if (("http".equalsIgnoreCase(scheme) || "https".equalsIgnoreCase(scheme))
          && url.getHost() != null
          && url.getQuery() == null
          && url.getFragment() == null
          && url.getUserInfo() == null) {
        return address;
      }
    } catch (URISyntaxException notOne) {
      throw wrong("--base-url is not a URL: " + baseUrl);
    }
    throw wrong("--base-url must be like https://transcripts.example.com, not " + baseUrl);
  }

  private String key() {
    String key = System.getenv().getOrDefault(KEY, "").strip();
    if (key.isEmpty()) {
      throw wrong(KEY + " is not set; it has to be an API key of the workspace");
    }
    if (!key.chars().allMatch(c -> c > ' ' && c < 127)) {
      throw wrong(KEY + " is not an API key");
    }
    return key;
  }

  private MirrorFormat format(String name) {
    return switch (name.toLowerCase(Locale.ROOT)) {
      case "json" -> MirrorFormat.JSON;
      case "markdown" -> MirrorFormat.MARKDOWN;
      case "vtt" -> MirrorFormat.VTT;
      default -> throw wrong("--format is json, markdown or vtt, not " + name);
    };
  }

  private IntConsumer progress() {
    if (Output.terminal().isEmpty()) {
      return _ -> {};
    }
    return captures -> {
      err().print(ERASE_LINE + String.format(Locale.ROOT, "%,d captures", captures));
      err().flush();
    };
  }

  private void print(PrintWriter to, String line) {
    if (Output.terminal().isPresent()) {
      err().print(ERASE_LINE);
      err().flush();
    }
    to.println(VisibleText.line(line));
    to.flush();
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }

  private PrintWriter err() {
    return spec.commandLine().getErr();
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}

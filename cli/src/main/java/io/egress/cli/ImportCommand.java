package io.egress.cli;

import static java.util.Objects.requireNonNullElse;

import io.egress.cli.TableOutput.Columns;
import io.egress.cli.transcript.ImportedCapture;
import io.egress.cli.transcript.Transcript;
import io.egress.cli.transcript.UnreadableTranscript;
import io.egress.transcript.capture.Mode;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code egress import}. */
@Command(
    name = "import",
    description = {
      "Puts transcripts of other programs in, each file as a capture.",
      "Formats: WebVTT (Zoom, Teams), SubRip, and the JSON of Deepgram, AssemblyAI, Whisper, WhisperX and Recall.ai. "
          + "A file that is imported again is the same capture, whatever it is called. What cannot be read is named, "
          + "and the rest goes in; the exit status is 1 then."
    },
    footer = {
      "",
      "Look first, then put them in:",
      "  egress import --workspace WORKSPACE --dry-run *.vtt",
      "  egress import --workspace WORKSPACE *.vtt"
    })
final class ImportCommand implements Callable<Integer> {
  private static final Columns COLUMNS =
      new Columns(
          List.of("file", "result", "format", "segments", "id"),
          Set.of("file"),
          row -> row.put("file", name(Path.of(row.getString("file")))),
          List.of("file", "result", "format", "segments", "speakers", "started_at", "id"));

  @Mixin private InternalApiOptions internal = new InternalApiOptions();
  @Mixin private TableOutput output = new TableOutput();

  @Parameters(paramLabel = "FILE", arity = "1..*", description = "transcripts")
  private List<Path> files = List.of();

  @Option(
      names = "--workspace",
      paramLabel = "WORKSPACE",
      required = true,
      description = "whose captures they will be")
  private UUID workspace = new UUID(0, 0);

  @Option(
      names = "--mode",
      description = "how they were recorded, as the hook has it (${DEFAULT-VALUE})")
  private String mode = Mode.MANUAL.wireName();

  @Option(
      names = "--started-at",
      paramLabel = "TIME",
      description =
          "when the recordings began, if the files do not say it (default: as long before a file's"
              + " last change as it lasts): "
              + Instants.FORMS)
  private @Nullable Instant startedAt;

  @Option(names = "--dry-run", description = "show what would be put in, and put nothing in")
  private boolean dryRun;

  private int unread;

  @Override
  public Integer call() {
    InternalApi api = dryRun ? null : internal.api();
    JsonArray captures = new JsonArray();
    for (int i = 0; i < files.size(); i++) {
      JsonObject capture = read(files.get(i));
      if (capture != null) {
        captures.add(capture);
        put(api, capture);
      }
      if (Output.terminal().isPresent() && files.size() > 1) {
        output.note("%d of %d: %s".formatted(i + 1, files.size(), files.get(i)));
      }
    }
    output.table(new JsonObject().put("captures", captures), "captures", COLUMNS);
    return unread == 0 ? 0 : 1;
  }

  /** What is known of a file, with the capture that it becomes; null if it cannot be read. */
  private @Nullable JsonObject read(Path file) {
    try {
      byte[] bytes = Files.readAllBytes(file);
      Transcript transcript = Transcript.read(bytes);
      for (String problem : transcript.problems()) {
        unread(file, "left out: " + problem);
      }
      if (transcript.utterances().isEmpty()) {
        unread(file, "nobody says anything in it");
        return null;
      }
      JsonObject capture =
          ImportedCapture.of(
              workspace, mode, title(file), bytes, transcript, startedAt(file, transcript));
      return new JsonObject()
          .put("file", file.toString())
          .put("format", transcript.format())
          .put("segments", capture.getJsonArray("segments").size())
          .put("speakers", capture.getJsonArray("participants").size())
          .put("started_at", capture.getString("started_at"))
          .put("id", capture.getString("id"))
          .put("capture", capture);
    } catch (UnreadableTranscript unreadable) {
      unread(file, unreadable.getMessage());
    } catch (NoSuchFileException missing) {
      unread(file, "there is no such file");
    } catch (IOException failure) {
      unread(file, String.valueOf(failure.getMessage()));
    }
    return null;
  }

  private void unread(Path file, @Nullable String problem) {
    unread++;
    output.note(file + ": " + problem);
  }

  private Instant startedAt(Path file, Transcript transcript) throws IOException {
    return requireNonNullElse(
        startedAt,
        Files.getLastModifiedTime(file)
            .toInstant()
            .minusMillis(transcript.lengthMs())
            .truncatedTo(ChronoUnit.MILLIS));
  }

  private static String name(Path file) {
    return String.valueOf(file.getFileName());
  }

  /** The name of the file without its ending. */
  private static String title(Path file) {
    String name = name(file);
    int ending = name.lastIndexOf('.');
    return ending > 0 ? name.substring(0, ending) : name;
  }

  private void put(@Nullable InternalApi api, JsonObject row) {
    if (api == null) {
      row.put("result", "not put in");
      return;
    }
    JsonObject report = api.importLine(row.getJsonObject("capture"));
    row.remove("capture");
    for (String result : List.of("created", "updated", "unchanged")) {
      if (report.getLong(result) > 0) {
        row.put("result", result);
        return;
      }
    }
    String reason = report.getJsonArray("refused").getJsonObject(0).getString("reason");
    unread(Path.of(row.getString("file")), reason);
    row.put("result", "refused");
  }
}

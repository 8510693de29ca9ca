package io.egress.cli.mirror;

import io.egress.transcript.text.CaptureDocument;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * How far a mirror has read.
 *
 * @param workspace null until the first capture was read
 * @param stream the cursor of the stream
 * @param changes the cursor of the changes
 * @param repairing everything is being read again, and what the workspace does not have is deleted
 *     at the end
 */
record MirrorState(
    @Nullable UUID workspace,
    MirrorFormat format,
    @Nullable String stream,
    @Nullable String changes,
    boolean repairing) {
  static final String FILE = ".egress-mirror.json";
  static final int VERSION = 1;

  static MirrorState initial(MirrorFormat format) {
    return new MirrorState(null, format, null, null, false);
  }

  MirrorState ofWorkspace(UUID id) {
    return new MirrorState(id, format, stream, changes, repairing);
  }

  @Nullable String cursor(MirrorFeed feed) {
    return feed == MirrorFeed.STREAM ? stream : changes;
  }

  MirrorState readTo(MirrorFeed feed, String cursor) {
    return feed == MirrorFeed.STREAM
        ? new MirrorState(workspace, format, cursor, changes, repairing)
        : new MirrorState(workspace, format, stream, cursor, repairing);
  }

  /** Everything is read again. */
  MirrorState startRepair() {
    return new MirrorState(workspace, format, null, null, true);
  }

  MirrorState endRepair() {
    return new MirrorState(workspace, format, stream, changes, false);
  }

  byte[] encode() {
    return toJson().toBuffer().getBytes();
  }

  JsonObject toJson() {
    return new JsonObject()
        .put("version", VERSION)
        .put("workspace_id", workspace == null ? null : workspace.toString())
        .put("format", format.extension())
        .put("stream_cursor", stream)
        .put("changes_cursor", changes)
        .put("repairing", repairing);
  }

  /**
   * The state of a folder; empty if it has none.
   *
   * @param format null for any
   */
  static Optional<MirrorState> read(Path root, @Nullable MirrorFormat format) throws IOException {
    if (Files.exists(root) && !Files.isDirectory(root)) {
      throw new MirrorException("%s is a file; --to needs a folder".formatted(root));
    }
    Path file = root.resolve(FILE);
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    byte[] content = Files.readAllBytes(file);
    MirrorState state;
    try {
      state = parse(content);
    } catch (IOException broken) {
      throw new MirrorException(
          "%s is not a state of egress mirror: %s; mirror to an empty folder"
              .formatted(file, broken.getMessage()),
          broken);
    }
    state.requireFormat(format, root.toString(), "folder");
    return Optional.of(state);
  }

  /**
   * Fails for another format than that of the copies.
   *
   * @param wanted null for any
   */
  void requireFormat(@Nullable MirrorFormat wanted, String name, String kind) {
    if (wanted != null && wanted != format) {
      throw new MirrorException(
          "%s has .%s files; leave --format out or choose another %s"
              .formatted(name, format.extension(), kind));
    }
  }

  static MirrorException newer(String file) {
    return new MirrorException("%s was written by a newer release of egress".formatted(file));
  }

  static MirrorState parse(byte[] content) throws IOException {
    JsonObject json;
    try {
      json = new JsonObject(Buffer.buffer(content));
    } catch (DecodeException | ClassCastException broken) {
      throw new IOException("not a JSON object", broken);
    }
    return parse(json);
  }

  static MirrorState parse(JsonObject json) throws IOException {
    if (json.getValue("version") instanceof Integer version && version > VERSION) {
      throw newer(FILE);
    }
    UUID workspace =
        json.getValue("workspace_id") == null
            ? null
            : CaptureDocument.id(json.getValue("workspace_id"));
    for (MirrorFormat format : MirrorFormat.values()) {
      if (format.extension().equals(json.getValue("format"))) {
        return new MirrorState(
            workspace,
            format,
            CaptureDocument.text(json, "stream_cursor"),
            CaptureDocument.text(json, "changes_cursor"),
            Boolean.TRUE.equals(json.getValue("repairing")));
      }
    }
    throw new IOException("it has no known format");
  }
}

package io.egress.api.portal;

import static java.util.Objects.requireNonNull;

import io.egress.api.portal.view.Assets;
import io.egress.platform.http.HttpExchange;
import io.egress.platform.http.Refusal;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Properties;

/**
 * The style sheet and scripts. Their paths contain a content hash, so browsers may cache them
 * indefinitely. A request for another release's path gets this release's file, uncached.
 */
final class AssetFiles {
  static final String ROUTE = "/assets/:version/:file";

  private static final String STYLESHEET = "portal.css";
  private static final String SCRIPT = "portal.js";
  private static final String ICON = "icon.svg";
  private static final String HTMX = "htmx.min.js";
  private static final String WEBJAR = "org.webjars.npm/htmx.org";
  private static final int VERSION_CHARS = 12;

  private record File(String type, Buffer content, String version) {}

  private final Map<String, File> files;

  AssetFiles() {
    this.files =
        Map.of(
            STYLESHEET, file("text/css; charset=utf-8", STYLESHEET),
            SCRIPT, file("text/javascript; charset=utf-8", SCRIPT),
            ICON, file("image/svg+xml", ICON),
            HTMX, file("text/javascript; charset=utf-8", htmx()));
  }

  /** The paths of the files below {@code root}. */
  Assets below(String root) {
    return new Assets(
        path(root, STYLESHEET), path(root, HTMX), path(root, SCRIPT), path(root, ICON));
  }

  void serve(RoutingContext ctx) {
    File file = files.get(ctx.pathParam("file"));
    if (file == null) {
      HttpExchange.fail(ctx, new Refusal(404, "no such path"));
      return;
    }
    ctx.response().putHeader(HttpHeaders.CONTENT_TYPE, file.type());
    if (file.version().equals(ctx.pathParam("version"))) {
      ctx.response().putHeader(HttpHeaders.CACHE_CONTROL, "public, max-age=31536000, immutable");
    }
    HttpExchange.end(ctx, file.content());
  }

  private String path(String root, String name) {
    return root + "/assets/" + requireNonNull(files.get(name)).version() + "/" + name;
  }

  private static File file(String type, String resource) {
    byte[] content = read(resource);
    return new File(type, Buffer.buffer(content), version(content));
  }

  private static String htmx() {
    Properties properties = new Properties();
    try (InputStream stream = open("/META-INF/maven/" + WEBJAR + "/pom.properties")) {
      properties.load(stream);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    return "/META-INF/resources/webjars/htmx.org/"
        + properties.getProperty("version")
        + "/dist/"
        + HTMX;
  }

  private static byte[] read(String resource) {
    try (InputStream stream = open(resource)) {
      return stream.readAllBytes();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static InputStream open(String resource) {
    return requireNonNull(
        AssetFiles.class.getResourceAsStream(resource), () -> "no resource " + resource);
  }

  private static String version(byte[] content) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(content);
      return HexFormat.of().formatHex(hash).substring(0, VERSION_CHARS);
    } catch (NoSuchAlgorithmException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }
}

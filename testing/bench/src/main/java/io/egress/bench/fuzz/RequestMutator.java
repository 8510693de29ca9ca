package io.egress.bench.fuzz;

import static java.util.stream.Collectors.toCollection;

import io.egress.bench.fuzz.Request.Header;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Derives shots from valid requests, controlled by a random seed. */
final class RequestMutator {
  private static final List<String> METHODS =
      List.of(
          "GET HEAD POST PUT PATCH DELETE OPTIONS TRACE CONNECT get PROPFIND X G\u0000T PRI"
              .split(" "));
  private static final List<String> TARGETS =
      List.of(
          "*",
          "/",
          "//",
          "",
          "http://other/api/v1/captures",
          "http://[::1",
          "other:443",
          "/%",
          "/%zz",
          "/%00",
          "/api/v1/captures/%2e%2e/%2e%2e",
          "/api/v1/../v1/captures",
          "/api/v1/captures?%",
          "/api/v1/captures?limit=%zz",
          "/api/v1/captures?after=%ff%fe",
          "/api/v1/captures?limit",
          "/api/v1/captures?&&=&limit=1&limit=2",
          "/api/v1/captures#x",
          "/api/v1/captures;x=1",
          "/\u00ff\u00fe",
          "/" + "a".repeat(5_000),
          "/api/v1/captures?" + "a=1&".repeat(900));
  private static final List<String> NUMBERS =
      List.of(
          "0",
          "-1",
          "1",
          "100",
          "101",
          "999",
          "+5",
          "05",
          "1e3",
          "0x10",
          "2147483648",
          "9223372036854775808",
          "%30",
          "\u00b2",
          "9".repeat(400),
          "");
  private static final List<Header> HEADERS =
      List.of(
          new Header("host", "other"),
          new Header("host", ""),
          new Header("authorization", "Bearer"),
          new Header("authorization", "Basic dXNlcjpwYXNzd29yZA=="),
          new Header("authorization", "Bearer service_" + "x".repeat(32)),
          new Header("accept-encoding", "gzip;q=0, identity;q=0, *;q=0"),
          new Header("accept-encoding", "gzip;q=1e999,;;;q=,\u00ff"),
          new Header("accept", "\u00ff/*"),
          new Header("content-type", "application/json;charset=\u00ff"),
          new Header("content-type", "application/x-ndjson"),
          new Header("content-type", "multipart/form-data; boundary="),
          new Header("content-encoding", "gzip"),
          new Header("x-request-id", "a".repeat(65)),
          new Header("x-request-id", "\u0001\u007f"),
          new Header("idempotency-key", "a".repeat(256)),
          new Header("idempotency-key", "same"),
          new Header("idempotency-key", " "),
          new Header("expect", "100-continue"),
          new Header("expect", "200-ok"),
          new Header("connection", "close"),
          new Header("connection", "keep-alive, host, content-length"),
          new Header("connection", "Upgrade, HTTP2-Settings"),
          new Header("upgrade", "h2c"),
          new Header("upgrade", "websocket"),
          new Header("http2-settings", "AAMAAABkAARAAAAAAAIAAAAA"),
          new Header("http2-settings", "\u00ff"),
          new Header("sec-websocket-key", "x"),
          new Header("range", "bytes=0-18446744073709551615"),
          new Header("if-none-match", "*"),
          new Header("origin", "null"),
          new Header("cookie", "a=\u0000;;;=" + "b".repeat(500)),
          new Header("x-http-method-override", "DELETE"),
          new Header("forwarded", "for=\"[::1\""),
          new Header("te", "trailers"),
          new Header("x", "y".repeat(7_000)));
  private static final List<Header> FRAMINGS =
      List.of(
          new Header("content-length", "-1"),
          new Header("content-length", "+1"),
          new Header("content-length", "0"),
          new Header("content-length", "1, 1"),
          new Header("content-length", "9223372036854775807"),
          new Header("content-length", "9223372036854775808"),
          new Header("content-length", "17000000"),
          new Header("content-length", "\u00b2"),
          new Header("content-length", ""),
          new Header("transfer-encoding", "chunked"),
          new Header("transfer-encoding", "CHUNKED"),
          new Header("transfer-encoding", "gzip, chunked"),
          new Header("transfer-encoding", "chunked, chunked"),
          new Header("transfer-encoding", "identity"),
          new Header("transfer-encoding", "\u000bchunked"),
          new Header("transfer-encoding", "xchunked"),
          new Header("transfer-encoding ", "chunked"));
  private static final List<String> CHUNK_ENDS =
      List.of(
          "0\r\n\r\n",
          "0\r\nx: y\r\n\r\n",
          "0\r\ncontent-length: 5\r\n\r\n",
          "00000000000000000000\r\n\r\n",
          "0;a=\"b\r\n\r\n",
          "0\r\n" + "x: y\r\n".repeat(2_000) + "\r\n",
          "-1\r\n\r\n",
          "ffffffff\r\n",
          "7fffffffffffffff\r\n",
          "fffffffffffffffff\r\n",
          "g\r\n\r\n",
          "",
          "\r\n");
  private static final Pattern NUMBER = Pattern.compile("(?<==)[0-9]+");
  private static final Pattern ID = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
  private static final String CONTROLS = "\u0000\u0001\u0009\u000b\u000c\u001b\u007f\u0080\u00ff";
  private static final int CHANGES_MAX = 3;
  private static final int PIPELINED_MAX = 8;

  private final List<Request> requests;
  private final Random random;
  private final JsonMutator json;
  private final QueryMutator parameters;

  RequestMutator(List<Request> requests, Random random) {
    this.requests = List.copyOf(requests);
    this.random = random;
    this.json = new JsonMutator(random);
    this.parameters = new QueryMutator(random, parameterNames());
  }

  private Set<String> parameterNames() {
    return requests.stream()
        .flatMap(request ->
            Stream.concat(
                QueryMutator.names(request.target().replaceFirst("[^?]*\\??", "")),
                isForm(request.body()) ? QueryMutator.names(request.body()) : Stream.of()))
        .collect(toCollection(TreeSet::new));
  }

  Shot next() {
    Request request = any();
    return switch (random.nextInt(20)) {
      case 0 -> new Shot(request.text(), true);
      case 1, 2 -> framing(changed(request));
      case 3 -> pipelined();
      case 4, 5, 6 -> raw(request.text());
      case 7 -> http2();
      default -> new Shot(changed(request).text(), true);
    };
  }

  private Request any() {
    return pick(requests);
  }

  private <T> T pick(List<T> from) {
    return from.get(random.nextInt(from.size()));
  }

  /** Still one correctly framed request, whatever it asks for. */
  private Request changed(Request request) {
    Request changed = request;
    for (int i = random.nextInt(CHANGES_MAX); i >= 0; i--) {
      changed =
          switch (random.nextInt(10)) {
            case 0 -> changed.withMethod(pick(METHODS));
            case 1, 2 -> changed.withTarget(target(changed.target()));
            case 3, 4 -> changed.withHeaders(headers(changed.headers()));
            default -> changed.withBody(body(changed.body()));
          };
    }
    return changed;
  }

  private String target(String target) {
    return switch (random.nextInt(10)) {
      case 7, 8, 9 -> query(target);
      case 0 -> pick(TARGETS);
      case 1 -> NUMBER.matcher(target).replaceFirst(pick(NUMBERS).replace("$", ""));
      case 2 -> ID.matcher(target).replaceFirst(UUID.randomUUID().toString());
      case 3 -> inserted(target, "%" + Integer.toHexString(256 + random.nextInt(256)).substring(1));
      case 4 -> inserted(target, pick(List.of("%", "?", "#", "/", "&", "=", ";", ":", "..")));
      case 5 -> inserted(target, control());
      default -> pick(requests).target();
    };
  }

  private String query(String target) {
    int mark = target.indexOf('?');
    String path = mark < 0 ? target : target.substring(0, mark);
    return path + "?" + parameters.mutate(mark < 0 ? "" : target.substring(mark + 1));
  }

  private List<Header> headers(List<Header> headers) {
    List<Header> changed = new ArrayList<>(headers);
    int at = random.nextInt(changed.size());
    Header header = changed.get(at);
    switch (random.nextInt(7)) {
      case 0 -> changed.remove(at);
      case 1 -> changed.add(header);
      case 2 -> changed.set(at, new Header(header.name(), inserted(header.value(), control())));
      case 3 -> changed.set(at, new Header(inserted(header.name(), control()), header.value()));
      case 4 ->
          changed.set(at, new Header(header.name(), header.value().repeat(random.nextInt(200))));
      case 5 -> changed.set(at, pick(HEADERS));
      default -> changed.add(random.nextInt(changed.size() + 1), pick(HEADERS));
    }
    return changed.isEmpty() ? headers : changed;
  }

  private String body(String body) {
    return switch (random.nextInt(8)) {
      case 0 -> flipped(body);
      case 1 -> any().body();
      case 2 -> truncated(body);
      default -> isForm(body) ? parameters.mutate(body) : json.mutate(body);
    };
  }

  private static boolean isForm(String body) {
    return !body.isEmpty() && body.charAt(0) != '{' && body.indexOf('=') > 0;
  }

  /** Wrong lengths and endless chunks: the bytes may be no request at all, or several. */
  private Shot framing(Request request) {
    String body = request.body();
    Request framed = request;
    if (random.nextInt(3) == 0) {
      long length = body.length() + random.nextInt(9) - 4L;
      framed = framed.withHeader("content-length", Long.toString(length));
    }
    for (int i = random.nextInt(2); i >= 0; i--) {
      Header header = pick(FRAMINGS);
      framed = framed.withHeader(header.name(), header.value());
    }
    return new Shot(framed.text(random.nextBoolean() ? chunked(body) : body), false);
  }

  private String chunked(String body) {
    StringBuilder chunks = new StringBuilder();
    int at = 0;
    while (at < body.length()) {
      int length = Math.min(1 + random.nextInt(500), body.length() - at);
      String extension = random.nextInt(5) == 0 ? ";x=" + inserted("y", control()) : "";
      chunks.append(Integer.toHexString(length)).append(extension).append("\r\n");
      chunks.append(body, at, at + length).append("\r\n");
      at += length;
    }
    return chunks.append(random.nextBoolean() ? "0\r\n\r\n" : pick(CHUNK_ENDS)).toString();
  }

  /** Whole requests, as one that reads their responses later or never would send them. */
  String unread() {
    StringBuilder several = new StringBuilder();
    for (int i = random.nextInt(PIPELINED_MAX); i >= 0; i--) {
      several.append(any().text());
    }
    return several.toString();
  }

  private Shot pipelined() {
    StringBuilder several = new StringBuilder();
    for (int i = 1 + random.nextInt(PIPELINED_MAX); i >= 0; i--) {
      several.append(random.nextBoolean() ? any().text() : changed(any()).text());
    }
    return new Shot(several.toString(), false);
  }

  private Shot raw(String text) {
    String changed = text;
    for (int i = random.nextInt(CHANGES_MAX); i >= 0; i--) {
      changed =
          switch (random.nextInt(5)) {
            case 0 -> truncated(changed);
            case 1 -> spliced(changed, any().text());
            case 2 -> spliced(changed, changed);
            case 3 -> inserted(changed, pick(List.of("\r\n", "\n", "\r", " ")));
            default -> flipped(changed);
          };
    }
    return new Shot(changed, false);
  }

  /** HTTP/2 with prior knowledge: the preface, settings, and arbitrary frames. */
  private Shot http2() {
    StringBuilder frames = new StringBuilder("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    frames.append("\0\0\0\4\0\0\0\0\0");
    for (int i = random.nextInt(4); i >= 0; i--) {
      int length = random.nextInt(40);
      frames.append("\0\0").append((char) length);
      frames.append((char) random.nextInt(11)).append((char) random.nextInt(64));
      frames.append("\0\0\0").append((char) random.nextInt(4));
      for (int at = 0; at < length; at++) {
        frames.append((char) random.nextInt(256));
      }
    }
    return new Shot(frames.toString(), false);
  }

  private String flipped(String text) {
    StringBuilder changed = new StringBuilder(text);
    for (int i = random.nextInt(4); i >= 0 && !changed.isEmpty(); i--) {
      int at = random.nextInt(changed.length());
      int flip = random.nextBoolean() ? random.nextInt(256) : 1 << random.nextInt(8);
      changed.setCharAt(at, (char) (changed.charAt(at) ^ flip));
    }
    return changed.toString();
  }

  private String truncated(String text) {
    return text.isEmpty() ? text : text.substring(0, random.nextInt(text.length()));
  }

  /** Replaces part of {@code text} with part of {@code other}. */
  private String spliced(String text, String other) {
    if (text.isEmpty() || other.isEmpty()) {
      return text;
    }
    int from = random.nextInt(text.length());
    int to = from + random.nextInt(text.length() - from);
    int otherFrom = random.nextInt(other.length());
    int otherTo = otherFrom + random.nextInt(other.length() - otherFrom);
    return text.substring(0, from) + other.substring(otherFrom, otherTo) + text.substring(to);
  }

  private String inserted(String text, String piece) {
    int at = random.nextInt(text.length() + 1);
    return text.substring(0, at) + piece + text.substring(at);
  }

  private String control() {
    return CONTROLS.substring(random.nextInt(CONTROLS.length())).substring(0, 1);
  }
}

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.*;

import com.sun.net.httpserver.*;
import java.io.*;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.*;
import java.security.*;
import java.time.Instant;
import java.util.*;
import java.util.concurrent.Executors;
import java.util.regex.*;
import java.util.zip.GZIPInputStream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Pages {
  static final int MAX_BODY_BYTES = 16 * 1024 * 1024;
  static final String SECRET = Objects.requireNonNull(System.getenv("SIGNING_SECRET"), "SIGNING_SECRET is not set");
  static final Pattern PAGE = // or your JSON library
      Pattern.compile(
          "\"data\":(\\{\"after\":(?:null|\"([^\"]*)\"),\"(captures|changes)\":.*\"pageInfo\":\\{\"endCursor\":\"([^\"]*)\".*\\})\\}",
          Pattern.DOTALL);
  static final Pattern OF_PAGE = Pattern.compile("\\{\"event\":\"(captures|changes)\\.page\"");
  static final String NONE = "-";
  static final String TEST = "\"data\":{\"id\":\"7e57da7a-0000-4000-8000-000000000000\"";

  final Path place = Path.of("pages.place");
  final FileChannel pages = FileChannel.open(Path.of("pages.jsonl"), CREATE, WRITE);
  long bytes = 0;
  Map<String, String> cursors = Map.of("captures", NONE, "changes", NONE);

  Pages() throws IOException {
    if (Files.exists(place)) {
      String[] stored = Files.readString(place).split(" ");
      bytes = Long.parseLong(stored[0]);
      cursors = Map.of("captures", stored[1], "changes", stored.length > 2 ? stored[2] : NONE);
    }
  }

  static boolean verifies(String secret, String header, byte[] body) throws GeneralSecurityException {
    String[] parts = header.split(",", -1);
    if (!parts[0].matches("t=[0-9]{1,12}")) return false;
    String t = parts[0].substring(2);
    if (Math.abs(Instant.now().getEpochSecond() - Long.parseLong(t)) > 300) return false;
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));
    mac.update((t + ".").getBytes(UTF_8));
    byte[] expected = ("v1=" + HexFormat.of().formatHex(mac.doFinal(body))).getBytes(UTF_8);
    return Arrays.stream(parts).anyMatch(part -> MessageDigest.isEqual(part.getBytes(UTF_8), expected));
  }

  /** Appends the page, then renames the place into effect: both or neither. Returns the status to answer with. */
  synchronized int store(String page, String after, String feed, String end) throws IOException {
    String cursor = cursors.get(feed);
    if (end.equals(cursor)) return 204; // stored before
    if (!cursor.equals(NONE) && !cursor.equals(after)) return 409; // a gap
    byte[] line = (page + "\n").getBytes(UTF_8);
    pages.truncate(bytes).position(bytes); // a page that was not finished
    write(pages, line);
    Map<String, String> next = new HashMap<>(cursors);
    next.put(feed, end);
    Path fresh = Path.of("pages.new");
    try (FileChannel file = FileChannel.open(fresh, CREATE, WRITE, TRUNCATE_EXISTING)) {
      write(file, (bytes + line.length + " " + next.get("captures") + " " + next.get("changes")).getBytes(UTF_8));
    }
    Files.move(fresh, place, StandardCopyOption.ATOMIC_MOVE);
    try (FileChannel folder = FileChannel.open(Path.of("."), READ)) {
      folder.force(true);
    }
    bytes += line.length;
    cursors = next;
    System.out.println("stored a page of " + feed + " up to " + end);
    return 204;
  }

  static void write(FileChannel file, byte[] content) throws IOException {
    for (ByteBuffer rest = ByteBuffer.wrap(content); rest.hasRemaining(); ) file.write(rest);
    file.force(true);
  }

  /** Only of a body that is genuine. */
  static String text(Headers headers, byte[] body) throws IOException {
    if (!"gzip".equals(headers.getFirst("content-encoding"))) return new String(body, UTF_8);
    return new String(new GZIPInputStream(new ByteArrayInputStream(body)).readAllBytes(), UTF_8);
  }

  int status(Headers headers, byte[] body) {
    try {
      String header = headers.getFirst("x-service-signature");
      if (header == null || !verifies(SECRET, header, body)) return 401;
      String webhook = text(headers, body);
      Matcher page = PAGE.matcher(webhook);
      if (!OF_PAGE.matcher(webhook).lookingAt()) return webhook.contains(TEST) ? 204 : 400;
      return page.find() ? store(page.group(1), page.group(2), page.group(3), page.group(4)) : 400;
    } catch (IOException | GeneralSecurityException failure) {
      failure.printStackTrace(); // a full disk, for example
      return 503;
    }
  }

  void receive(HttpExchange request) throws IOException {
    byte[] body = request.getRequestBody().readNBytes(MAX_BODY_BYTES);
    request.sendResponseHeaders(status(request.getRequestHeaders(), body), -1);
    request.close();
  }

  public static void main(String[] args) throws IOException {
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(args[0])), 0);
    server.createContext("/", new Pages()::receive);
    server.setExecutor(Executors.newFixedThreadPool(8));
    server.start();
    System.out.println("listening on http://127.0.0.1:" + server.getAddress().getPort());
  }
}

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.*;
import java.io.*;
import java.net.InetSocketAddress;
import java.security.*;
import java.time.Instant;
import java.util.*;
import java.util.concurrent.Executors;
import java.util.regex.*;
import java.util.zip.GZIPInputStream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Receiver {
  static final int MAX_BODY_BYTES = 16 * 1024 * 1024;
  static final String SECRET = Objects.requireNonNull(System.getenv("SIGNING_SECRET"), "SIGNING_SECRET is not set");
  static final Pattern CAPTURE_ID = Pattern.compile("\"data\":\\{\"id\":\"([^\"]+)\""); // or your JSON library

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

  /** Only of a body that is genuine. */
  static String text(Headers headers, byte[] body) throws IOException {
    if (!"gzip".equals(headers.getFirst("content-encoding"))) return new String(body, UTF_8);
    return new String(new GZIPInputStream(new ByteArrayInputStream(body)).readAllBytes(), UTF_8);
  }

  static void receive(HttpExchange request) throws IOException {
    byte[] body = request.getRequestBody().readNBytes(MAX_BODY_BYTES);
    String header = request.getRequestHeaders().getFirst("x-service-signature");
    boolean genuine;
    try {
      genuine = header != null && verifies(SECRET, header, body);
    } catch (GeneralSecurityException e) {
      throw new IOException(e);
    }
    request.sendResponseHeaders(genuine ? 204 : 400, -1); // store the body before you answer 204
    request.close();
    if (!genuine) return;
    Matcher id = CAPTURE_ID.matcher(text(request.getRequestHeaders(), body));
    if (id.find()) System.out.println("verified " + id.group(1));
  }

  public static void main(String[] args) throws IOException {
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(args[0])), 0);
    server.createContext("/", Receiver::receive);
    server.setExecutor(Executors.newFixedThreadPool(8));
    server.start();
    System.out.println("listening on http://127.0.0.1:" + server.getAddress().getPort());
  }
}

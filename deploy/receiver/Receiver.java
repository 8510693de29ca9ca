import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * The smoke test's webhook receiver, run from source: java Receiver.java FOLDER. It makes itself a certificate for the
 * host name "receiver" and reads a line "PATH SECRET" for each endpoint from FOLDER/secrets. What it verified it writes
 * into FOLDER/received as "PATH CAPTURE", what it refused into FOLDER/refused.
 */
class Receiver {
  static final int PORT = 8443;
  static final int MAX_BODY_BYTES = 16 * 1024 * 1024;
  static final long MAX_AGE_SECONDS = 300;
  // Guards nothing: the certificate is made anew for each test and trusted by nobody else.
  static final String PASSWORD = "changeit";
  static final Pattern CAPTURE_ID = Pattern.compile("\"data\":\\{\"id\":\"([^\"]+)\"");

  static Path folder;

  public static void main(String[] arguments) throws Exception {
    folder = Path.of(arguments[0]);
    Path keys = folder.resolve("receiver.p12");
    if (!Files.exists(folder.resolve("receiver.pem"))) {
      keytool(keys, "-genkeypair", "-keyalg", "EC", "-dname", "CN=receiver", "-ext", "SAN=dns:receiver");
      Path pem = folder.resolve("pem.part");
      keytool(keys, "-exportcert", "-rfc", "-file", pem.toString());
      Files.move(pem, folder.resolve("receiver.pem"), StandardCopyOption.ATOMIC_MOVE);
    }
    HttpsServer server = HttpsServer.create(new InetSocketAddress(PORT), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(tls(keys)));
    server.createContext("/", Receiver::receive);
    server.setExecutor(Executors.newFixedThreadPool(8));
    server.start();
    System.out.println("listening on port " + PORT);
  }

  static void receive(HttpExchange request) throws IOException {
    byte[] body = request.getRequestBody().readNBytes(MAX_BODY_BYTES);
    Matcher id = CAPTURE_ID.matcher(new String(body, UTF_8));
    String path = request.getRequestURI().getPath();
    boolean genuine =
        verifies(secret(path), request.getRequestHeaders().getFirst("x-service-signature"), body) && id.find();
    note(genuine ? "received" : "refused", path + " " + (genuine ? id.group(1) : request.getRequestHeaders()));
    request.sendResponseHeaders(genuine ? 204 : 400, -1);
    request.close();
  }

  static String secret(String path) throws IOException {
    for (String line : Files.readAllLines(folder.resolve("secrets"))) {
      if (line.startsWith(path + " ")) return line.substring(path.length() + 1);
    }
    return null;
  }

  static boolean verifies(String secret, String header, byte[] body) throws IOException {
    if (secret == null || header == null) return false;
    String[] parts = header.split(",", -1);
    if (!parts[0].matches("t=[0-9]{1,12}")) return false;
    String t = parts[0].substring(2);
    if (Math.abs(Instant.now().getEpochSecond() - Long.parseLong(t)) > MAX_AGE_SECONDS) return false;
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));
      mac.update((t + ".").getBytes(UTF_8));
      byte[] expected = ("v1=" + HexFormat.of().formatHex(mac.doFinal(body))).getBytes(UTF_8);
      return Arrays.stream(parts).anyMatch(part -> MessageDigest.isEqual(part.getBytes(UTF_8), expected));
    } catch (GeneralSecurityException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }

  static synchronized void note(String file, String line) throws IOException {
    Files.writeString(
        folder.resolve(file), line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND, StandardOpenOption.SYNC);
  }

  static SSLContext tls(Path keys) throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream from = new FileInputStream(keys.toFile())) {
      store.load(from, PASSWORD.toCharArray());
    }
    KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(store, PASSWORD.toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(managers.getKeyManagers(), null, null);
    return context;
  }

  static void keytool(Path keys, String... arguments) throws IOException, InterruptedException {
    String[] line = {"keytool", "-alias", "receiver", "-keystore", keys.toString(), "-storepass", PASSWORD};
    String[] whole = Arrays.copyOf(line, line.length + arguments.length);
    System.arraycopy(arguments, 0, whole, line.length, arguments.length);
    if (new ProcessBuilder(whole).inheritIO().start().waitFor() != 0) {
      throw new IOException("keytool failed");
    }
  }
}

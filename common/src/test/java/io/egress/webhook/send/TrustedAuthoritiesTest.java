package io.egress.webhook.send;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(VertxExtension.class)
class TrustedAuthoritiesTest {
  @TempDir Path folder = Path.of("");

  @Test
  void extendsTheAuthoritiesOfTheJdk(Vertx vertx) throws Exception {
    List<X509Certificate> jdk = trustedBy(vertx, null);
    Path first = new TestAuthority().writePem(folder);
    String both = Files.readString(first);
    Path extra = Files.writeString(folder.resolve("both.pem"), both + pemOfAnother());

    assertThat(jdk).isNotEmpty();
    assertThat(trustedBy(vertx, extra)).hasSize(jdk.size() + 2).containsAll(jdk);
  }

  @Test
  void reportsAnUnusableFile() throws Exception {
    Path missing = folder.resolve("missing.pem");
    Path empty = Files.createFile(folder.resolve("empty.pem"));
    Path garbage = Files.writeString(folder.resolve("garbage.pem"), "-----BEGIN CERTIFICATE-----");

    for (Path path : List.of(missing, empty, garbage)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> TrustedAuthorities.load(path))
          .withMessageContaining(path.toString());
    }
  }

  private String pemOfAnother() throws Exception {
    Path other = Files.createDirectory(folder.resolve("other"));
    return Files.readString(new TestAuthority().writePem(other));
  }

  private static List<X509Certificate> trustedBy(Vertx vertx, @Nullable Path extra)
      throws Exception {
    TrustManagerFactory factory = TrustedAuthorities.load(extra).getTrustManagerFactory(vertx);
    return Arrays.stream(factory.getTrustManagers())
        .map(manager -> ((X509TrustManager) manager).getAcceptedIssuers())
        .flatMap(Arrays::stream)
        .toList();
  }
}

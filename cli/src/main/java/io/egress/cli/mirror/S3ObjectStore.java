package io.egress.cli.mirror;

import static java.util.Objects.requireNonNullElse;

import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.net.URI;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.ResponseBytes;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.regions.providers.DefaultAwsRegionProviderChain;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.ListObjectVersionsResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.ObjectLockLegalHold;
import software.amazon.awssdk.services.s3.model.ObjectLockLegalHoldStatus;
import software.amazon.awssdk.services.s3.model.ObjectLockRetention;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * A bucket of Amazon S3, or of what speaks its protocol. Endpoint, region and credentials come from
 * where the AWS tools take them.
 */
final class S3ObjectStore implements ObjectStore {
  private static final Duration CONNECT_MAX = Duration.ofSeconds(10);
  private static final Duration ANSWER_MAX = Duration.ofSeconds(60);
  private static final int TRIES = 8;
  private static final String DIGEST = "egress-sha256";

  private final S3Client client;
  private final String bucket;

  private S3ObjectStore(S3Client client, String bucket) {
    this.client = client;
    this.bucket = bucket;
  }

  static ObjectStore connect(BucketAddress address) throws IOException {
    // As many connections as requests are sent at a time; the JDK keeps five by default.
    if (System.getProperty("http.maxConnections") == null) {
      System.setProperty("http.maxConnections", "32");
    }
    try {
      return new S3ObjectStore(client(), address.bucket());
    } catch (SdkException | IllegalArgumentException unusable) {
      throw S3Failure.of(unusable);
    }
  }

  private static S3Client client() {
    S3ClientBuilder builder =
        S3Client.builder()
            .region(region())
            .httpClientBuilder(
                UrlConnectionHttpClient.builder()
                    .connectionTimeout(CONNECT_MAX)
                    .socketTimeout(ANSWER_MAX));
    if (System.getenv("AWS_MAX_ATTEMPTS") == null) {
      builder.overrideConfiguration(settings ->
          settings.retryStrategy(
              AwsRetryStrategy.standardRetryStrategy().toBuilder().maxAttempts(TRIES).build()));
    }
    S3Client client = builder.build();
    Optional<URI> endpoint = client.serviceClientConfiguration().endpointOverride();
    boolean ofAws =
        endpoint.map(URI::getHost).map(host -> host.endsWith(".amazonaws.com")).orElse(true);
    client.close();
    return ofAws
        ? builder.crossRegionAccessEnabled(endpoint.isEmpty()).build()
        : builder.forcePathStyle(true).build();
  }

  /** Those of other makers have none, and Amazon's are found wherever they are. */
  private static Region region() {
    String fallback = System.getenv("AWS_DEFAULT_REGION");
    if (fallback != null && !fallback.isEmpty() && System.getenv("AWS_REGION") == null) {
      return Region.of(fallback);
    }
    try {
      return DefaultAwsRegionProviderChain.builder().build().getRegion();
    } catch (SdkClientException none) {
      return Region.US_EAST_1;
    }
  }

  private interface Call<T extends @Nullable Object> {
    T make();
  }

  private static <T> T call(Call<T> call) throws ObjectStoreException {
    try {
      return call.make();
    } catch (SdkException failure) {
      throw S3Failure.of(failure);
    }
  }

  @Override
  public boolean hasVersions() throws IOException {
    try {
      return client.getBucketVersioning(request -> request.bucket(bucket)).status() != null;
    } catch (S3Exception unknown) {
      if (unknown.statusCode() == 501 || unknown.statusCode() == 405) {
        return false;
      }
      throw S3Failure.of(unknown);
    } catch (SdkException failure) {
      throw S3Failure.of(failure);
    }
  }

  @Override
  public void versions(String prefix, Consumer<Version> each) throws IOException {
    String key = null;
    String version = null;
    boolean more = true;
    while (more) {
      String keyMarker = key;
      String versionMarker = version;
      ListObjectVersionsResponse page =
          call(() ->
              client.listObjectVersions(request ->
                  request
                      .bucket(bucket)
                      .prefix(prefix)
                      .keyMarker(keyMarker)
                      .versionIdMarker(versionMarker)));
      List<Version> all = new ArrayList<>();
      page.versions()
          .forEach(one ->
              all.add(
                  new Version(
                      one.key(),
                      one.versionId(),
                      seconds(one.lastModified()),
                      Boolean.TRUE.equals(one.isLatest()),
                      false)));
      page.deleteMarkers()
          .forEach(one ->
              all.add(
                  new Version(
                      one.key(),
                      one.versionId(),
                      seconds(one.lastModified()),
                      Boolean.TRUE.equals(one.isLatest()),
                      true)));
      all.sort(Comparator.comparing(Version::key));
      all.forEach(each);
      key = page.nextKeyMarker();
      version = page.nextVersionIdMarker();
      more = Boolean.TRUE.equals(page.isTruncated());
    }
  }

  @Override
  public List<Version> someObjects(String prefix) throws IOException {
    return page(prefix, null).contents().stream().map(S3ObjectStore::version).toList();
  }

  @Override
  public void objects(String prefix, Consumer<Version> each) throws IOException {
    String next = null;
    do {
      ListObjectsV2Response page = page(prefix, next);
      page.contents().stream().map(S3ObjectStore::version).forEach(each);
      next = Boolean.TRUE.equals(page.isTruncated()) ? page.nextContinuationToken() : null;
    } while (next != null);
  }

  private ListObjectsV2Response page(String prefix, @Nullable String after) throws IOException {
    return call(() ->
        client.listObjectsV2(
            request -> request.bucket(bucket).prefix(prefix).continuationToken(after)));
  }

  private static Version version(S3Object object) {
    return new Version(object.key(), null, seconds(object.lastModified()), true, false);
  }

  /** As headers have it. */
  private static Instant seconds(Instant time) {
    return time.truncatedTo(ChronoUnit.SECONDS);
  }

  @Override
  public Optional<Content> get(String key) throws IOException {
    ResponseBytes<GetObjectResponse> object;
    try {
      object = client.getObjectAsBytes(request -> request.bucket(bucket).key(key));
    } catch (S3Exception failure) {
      if (S3Failure.isMissingKey(failure)) {
        return Optional.empty();
      }
      throw S3Failure.of(failure);
    } catch (SdkException failure) {
      throw S3Failure.of(failure);
    }
    byte[] bytes = object.asByteArray();
    return Optional.of(
        new Content(
            Buffer.buffer(bytes),
            object.response().eTag(),
            seconds(object.response().lastModified()),
            digest(bytes).equals(object.response().metadata().get(DIGEST))));
  }

  @Override
  public void put(String key, byte[] content, String type) throws IOException {
    PutObjectRequest request = request(key, content, type).build();
    var _ = call(() -> client.putObject(request, RequestBody.fromBytes(content)));
  }

  @Override
  public String replace(String key, byte[] content, String type, @Nullable String etag)
      throws IOException {
    PutObjectRequest.Builder request = request(key, content, type);
    PutObjectRequest conditional =
        (etag == null ? request.ifNoneMatch("*") : request.ifMatch(etag)).build();
    try {
      return client.putObject(conditional, RequestBody.fromBytes(content)).eTag();
    } catch (S3Exception failure) {
      int status = failure.statusCode();
      if (status == 412 || status == 409 || (etag != null && S3Failure.isMissingKey(failure))) {
        throw new ObjectStoreException.ConditionFailed(failure);
      }
      throw S3Failure.of(failure);
    } catch (SdkException failure) {
      throw S3Failure.of(failure);
    }
  }

  /** With a checksum in a header, which locks require, and which more stores know than trailers. */
  private PutObjectRequest.Builder request(String key, byte[] content, String type) {
    CRC32 crc = new CRC32();
    crc.update(content);
    byte[] sum = HexFormat.of().parseHex(String.format(Locale.ROOT, "%08x", crc.getValue()));
    return PutObjectRequest.builder()
        .bucket(bucket)
        .key(key)
        .contentType(type)
        .contentLength((long) content.length)
        .checksumCRC32(Base64.getEncoder().encodeToString(sum))
        .metadata(Map.of(DIGEST, digest(content)));
  }

  private static String digest(byte[] content) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  @Override
  public void delete(String key) throws IOException {
    var _ = call(() -> client.deleteObject(request -> request.bucket(bucket).key(key)));
  }

  @Override
  public void deleteVersion(String key, String id) throws IOException {
    try {
      client.deleteObject(request -> request.bucket(bucket).key(key).versionId(id));
    } catch (S3Exception failure) {
      if (S3Failure.isMissingKey(failure)) {
        return;
      }
      throw S3Failure.isRefusal(failure)
          ? new ObjectStoreException.Refused(S3Failure.of(failure).reason(), failure)
          : S3Failure.of(failure);
    } catch (SdkException failure) {
      throw S3Failure.of(failure);
    }
  }

  @Override
  public Optional<String> lock(String key, String id) {
    Optional<String> lock =
        known(() -> client.headObject(request -> request.bucket(bucket).key(key).versionId(id)))
            .flatMap(head ->
                words(
                    head.objectLockRetainUntilDate(),
                    head.objectLockModeAsString(),
                    head.objectLockLegalHoldStatus()));
    return lock.or(() -> askedLock(key, id));
  }

  /** Some stores leave it out of the answer to HEAD if a deletion hides the version. */
  private Optional<String> askedLock(String key, String id) {
    Optional<ObjectLockRetention> retention =
        known(() ->
            client
                .getObjectRetention(request -> request.bucket(bucket).key(key).versionId(id))
                .retention());
    Optional<ObjectLockLegalHold> hold =
        known(() ->
            client
                .getObjectLegalHold(request -> request.bucket(bucket).key(key).versionId(id))
                .legalHold());
    return words(
        retention.map(ObjectLockRetention::retainUntilDate).orElse(null),
        retention.map(ObjectLockRetention::modeAsString).orElse(null),
        hold.map(ObjectLockLegalHold::status).orElse(null));
  }

  private static <T> Optional<T> known(Call<@Nullable T> call) {
    try {
      return Optional.ofNullable(call.make());
    } catch (SdkException unknown) {
      return Optional.empty();
    }
  }

  private static Optional<String> words(
      @Nullable Instant until, @Nullable String mode, @Nullable ObjectLockLegalHoldStatus hold) {
    List<String> locks = new ArrayList<>();
    if (until != null) {
      locks.add(
          "retained until %s in %s mode"
              .formatted(until, requireNonNullElse(mode, "unknown").toLowerCase(Locale.ROOT)));
    }
    if (hold == ObjectLockLegalHoldStatus.ON) {
      locks.add("under a legal hold");
    }
    return locks.isEmpty() ? Optional.empty() : Optional.of(String.join(", and ", locks));
  }

  @Override
  public void close() {
    client.close();
  }
}

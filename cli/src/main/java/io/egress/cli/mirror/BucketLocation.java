package io.egress.cli.mirror;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A prefix of a bucket. */
record BucketLocation(BucketAddress address, Connection connection, Settling settling)
    implements MirrorLocation {
  /** Longer than a request takes that was sent before, and than the bucket's clock is rounded. */
  private static final Duration SETTLES_IN = Duration.ofSeconds(3);

  interface Connection {
    ObjectStore open(BucketAddress address) throws IOException;
  }

  interface Settling {
    /** Lets requests of a run end that was cut off. */
    void await() throws IOException;
  }

  BucketLocation(BucketAddress address) {
    this(address, S3ObjectStore::connect, BucketLocation::pause);
  }

  private static void pause() throws IOException {
    try {
      TimeUnit.MILLISECONDS.sleep(SETTLES_IN.toMillis());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", interrupted);
    }
  }

  @Override
  public String name() {
    return address.toString();
  }

  @Override
  public MirrorStore open(@Nullable MirrorFormat format) throws IOException {
    ObjectStore objects = connection.open(address);
    try {
      return MirrorBucket.open(objects, address, format, settling);
    } catch (Throwable failure) {
      objects.close();
      throw failure;
    }
  }

  @Override
  public Copies look(@Nullable MirrorFormat format) throws IOException {
    ObjectStore objects = connection.open(address);
    try {
      return MirrorBucket.look(objects, address, format);
    } catch (Throwable failure) {
      objects.close();
      throw failure;
    }
  }
}

package io.egress.acceptance;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** With moto's server. */
@Tag("full")
@Execution(ExecutionMode.CONCURRENT)
class MirrorBucketTest extends MirrorBucketCases {
  MirrorBucketTest() {
    super(S3Server.Maker.MOTO);
  }
}

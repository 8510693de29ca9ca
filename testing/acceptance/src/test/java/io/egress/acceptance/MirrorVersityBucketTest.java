package io.egress.acceptance;

import org.junit.jupiter.api.Tag;

/** With versitygw, which Go builds from source: that takes minutes. */
@Tag("long")
class MirrorVersityBucketTest extends MirrorBucketCases {
  MirrorVersityBucketTest() {
    super(S3Server.Maker.VERSITYGW);
  }
}

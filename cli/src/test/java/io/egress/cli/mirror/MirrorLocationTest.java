package io.egress.cli.mirror;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code --to} may be. */
class MirrorLocationTest {
  @ParameterizedTest
  @CsvSource({
    "s3://archive,archive,'',s3://archive",
    "s3://archive/,archive,'',s3://archive",
    "s3://archive/talks,archive,talks/,s3://archive/talks",
    "s3://archive/of/talks//,archive,of/talks/,s3://archive/of/talks",
    "s3://arn:aws:s3:eu-west-1:123456789012:accesspoint/talks/of,"
        + "arn:aws:s3:eu-west-1:123456789012:accesspoint/talks,of/,"
        + "s3://arn:aws:s3:eu-west-1:123456789012:accesspoint/talks/of"
  })
  void aBucketWithAPrefix(String to, String bucket, String prefix, String name) {
    BucketAddress address = BucketAddress.parse(to);

    assertThat(address.bucket()).isEqualTo(bucket);
    assertThat(address.prefix()).isEqualTo(prefix);
    assertThat(MirrorLocation.of(to).name()).isEqualTo(name);
  }

  @ParameterizedTest
  @ValueSource(strings = {"s3://", "s3:///talks", "s3://archive//talks", "s3://a b/talks"})
  void anAddressThatIsNone(String to) {
    assertThatThrownBy(() -> MirrorLocation.of(to))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("like s3://bucket/prefix");
  }

  @Test
  void everythingElseIsAFolder() {
    assertThat(MirrorLocation.of("./s3:"))
        .isEqualTo(new FolderLocation(Path.of("./s3:"), FileOperations.REAL));
    assertThatThrownBy(() -> MirrorLocation.of("")).hasMessage("--to names no folder");
  }
}

package io.egress.cli.mirror;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * {@code s3://bucket/prefix}.
 *
 * @param prefix of all keys; empty, or with a slash at the end
 */
record BucketAddress(String bucket, String prefix) {
  static final String SCHEME = "s3://";

  /** Names of buckets, and ARNs of access points, which contain slashes of their own. */
  private static final Pattern PARTS =
      Pattern.compile(
          "s3://(?<bucket>arn:[^/]+:accesspoint/[^/]+|[A-Za-z0-9][A-Za-z0-9._-]{1,254})(?:/(?<prefix>.*))?");

  /** Of keys. The longest that a mirror makes within a prefix has 120 bytes. */
  private static final int PREFIX_LENGTH_MAX = 800;

  static BucketAddress parse(String url) {
    Matcher parts = PARTS.matcher(url);
    if (!parts.matches()) {
      throw new IllegalArgumentException(
          "--to must be a folder or like s3://bucket/prefix, not " + url);
    }
    String prefix = parts.group("prefix") == null ? "" : parts.group("prefix");
    prefix = prefix.replaceFirst("/+$", "");
    if (prefix.startsWith("/") || prefix.contains("//") || prefix.length() > PREFIX_LENGTH_MAX) {
      throw new IllegalArgumentException(
          "--to must be like s3://bucket/prefix, with single slashes, not " + url);
    }
    return new BucketAddress(parts.group("bucket"), prefix.isEmpty() ? "" : prefix + "/");
  }

  /** Of the object that is called {@code name} within the prefix. */
  String key(String name) {
    return prefix + name;
  }

  /** Within the prefix. */
  String name(String key) {
    return key.substring(prefix.length());
  }

  @Override
  public String toString() {
    return (SCHEME + bucket + "/" + prefix).replaceFirst("/$", "");
  }
}

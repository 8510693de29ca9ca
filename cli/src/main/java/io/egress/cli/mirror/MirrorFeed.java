package io.egress.cli.mirror;

/** The lists that a mirror follows. */
enum MirrorFeed {
  STREAM("/api/v1/captures"),
  CHANGES("/api/v1/changes");

  private final String path;

  MirrorFeed(String path) {
    this.path = path;
  }

  String path() {
    return path;
  }
}

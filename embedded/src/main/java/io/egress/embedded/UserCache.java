package io.egress.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is made once and used by later processes, first of all PostgreSQL's programs. They are
 * executed from here, so the folder must belong to this user.
 */
public final class UserCache {
  private static final Logger log = LoggerFactory.getLogger(UserCache.class);
  private static final String NAME = "transcript-egress";

  private UserCache() {}

  public static Path folder() {
    List<Path> candidates =
        candidates(
            System.getenv(),
            System.getProperty("user.name"),
            System.getProperty("user.home"),
            System.getProperty("java.io.tmpdir"));
    return candidates.stream()
        .filter(UserCache::isUsable)
        .findFirst()
        .orElseThrow(() ->
            new EmbeddedBackendException(
                "PostgreSQL's programs need one of these folders, ours and writable: "
                    + candidates));
  }

  /** Not below root's home, which the unprivileged user that runs PostgreSQL may not enter. */
  static List<Path> candidates(
      Map<String, String> environment, String user, String home, String temporary) {
    List<Path> candidates = new ArrayList<>();
    if (user.equals("root")) {
      candidates.add(Path.of("/var/cache", NAME));
    } else {
      String cache = environment.getOrDefault("XDG_CACHE_HOME", "");
      Path base = cache.isEmpty() ? Path.of(home, ".cache") : Path.of(cache);
      if (base.isAbsolute()) {
        candidates.add(base.resolve(NAME));
      }
    }
    candidates.add(Path.of(temporary, NAME + "-" + user));
    return candidates;
  }

  private static boolean isUsable(Path folder) {
    try {
      Files.createDirectories(folder);
      Path probe = Files.createTempFile(folder, "probe", "");
      UserPrincipal self = Files.getOwner(probe);
      Files.delete(probe);
      if (!Files.getOwner(folder).equals(self) || Files.isSymbolicLink(folder)) {
        log.warn("Not using {}, which belongs to another user", folder);
        return false;
      }
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
      return true;
    } catch (IOException unusable) {
      log.debug("{} cannot be used: {}", folder, unusable.toString());
      return false;
    }
  }
}

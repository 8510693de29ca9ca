package io.egress.embedded;

import static java.util.stream.Collectors.joining;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The account that PostgreSQL runs as. It refuses root and users without a name, so those start its
 * commands through a program that drops privileges.
 */
record ServerAccount(String name, List<String> prefix, @Nullable UserPrincipal owner) {
  private static final Path ANYWHERE = Path.of("/");
  private static final Duration COMMAND_LIMIT = Duration.ofSeconds(10);
  private static final List<String> UNPRIVILEGED_USERS = List.of("postgres", "nobody");

  /** Ways to drop root privileges, the least intrusive first. */
  enum Way {
    /** The files stay root's: a user namespace drops the capabilities and keeps the identity. */
    USER_NAMESPACE,
    SETPRIV,
    RUNUSER,
    SU,
    SUDO;

    private List<String> prefix(String user, String group) {
      return switch (this) {
        case USER_NAMESPACE -> List.of("unshare", "-U");
        case SETPRIV ->
            List.of("setpriv", "--reuid", user, "--regid", group, "--clear-groups", "--");
        case RUNUSER -> List.of("runuser", "-u", user, "--");
        case SU -> List.of("su", user, "-s", "/bin/sh", "-c", "exec \"$0\" \"$@\"", "--");
        case SUDO -> List.of("sudo", "-n", "-u", user, "--");
      };
    }
  }

  static ServerAccount choose() {
    return choose(Set.of(Way.values()));
  }

  static ServerAccount choose(Set<Way> ways) {
    boolean root = output(List.of("id", "-u")).equals(Optional.of("0"));
    Optional<String> self = output(List.of("id", "-un"));
    if (!root && self.isPresent()) {
      return new ServerAccount(self.get(), List.of(), null);
    }
    return Stream.of(Way.values())
        .filter(ways::contains)
        .flatMap(way -> accounts(way, root))
        .findFirst()
        .orElseThrow(ServerAccount::noWay);
  }

  private static Stream<ServerAccount> accounts(Way way, boolean root) {
    if (way == Way.USER_NAMESPACE) {
      List<String> prefix = way.prefix("", "");
      return named(prefix)
          .map(name -> new ServerAccount(name, prefix, root ? principal("root") : null))
          .stream();
    }
    return UNPRIVILEGED_USERS.stream().flatMap(user -> dropped(way, user).stream());
  }

  private static Optional<ServerAccount> dropped(Way way, String user) {
    return output(List.of("id", "-gn", user))
        .map(group -> way.prefix(user, group))
        .filter(prefix -> named(prefix).equals(Optional.of(user)))
        .map(prefix -> new ServerAccount(user, prefix, principal(user)));
  }

  private static Optional<String> named(List<String> prefix) {
    return output(join(prefix, List.of("id", "-un")));
  }

  private static Optional<String> output(List<String> command) {
    Command.Result result = Command.run(ANYWHERE, COMMAND_LIMIT, command);
    return Optional.of(result.output()).filter(output -> result.succeeded() && !output.isEmpty());
  }

  private static UserPrincipal principal(String user) {
    try {
      return ANYWHERE.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(user);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static EmbeddedBackendException noWay() {
    return new EmbeddedBackendException(
        "PostgreSQL refuses to run as root or as a user without a name, and none of "
            + Stream.of(Way.values()).map(way -> way.prefix("", "").get(0)).collect(joining(", "))
            + " can start it as another user here. Run as an ordinary user, allow user namespaces"
            + " (unshare -U), install setpriv, or name a PostgreSQL server of your own.");
  }

  List<String> command(List<String> command) {
    return join(prefix, command);
  }

  /** Changes the owner of the folder and everything below it, which PostgreSQL requires. */
  void own(Path folder) {
    try {
      if (owner != null && !Files.getOwner(folder).equals(owner)) {
        FileTrees.setOwner(folder, owner);
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  void requireReach(Path folder) {
    List<String> test = command(List.of("test", "-x", folder.toString()));
    if (!prefix.isEmpty() && !Command.run(ANYWHERE, COMMAND_LIMIT, test).succeeded()) {
      throw new EmbeddedBackendException(
          ("PostgreSQL runs as user %s here and cannot reach %s. Let everybody pass through the"
                  + " folders above it (chmod o+x), or name another data folder.")
              .formatted(name, folder));
    }
  }

  private static List<String> join(List<String> prefix, List<String> command) {
    List<String> joined = new ArrayList<>(prefix);
    joined.addAll(command);
    return joined;
  }
}

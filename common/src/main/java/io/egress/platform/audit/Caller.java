package io.egress.platform.audit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.egress.platform.http.HttpExchange;
import io.egress.platform.http.Refusal;
import io.egress.platform.http.SafeText;
import io.vertx.core.net.SocketAddress;
import io.vertx.ext.web.RoutingContext;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Who requests an act, by which means, and from where.
 *
 * @param actor the person, as named by the calling application
 */
public record Caller(
    @Nullable String actor, Via via, @Nullable String remoteAddress, @Nullable String requestId) {
  public static final String ACTOR_HEADER = "x-egress-actor";

  /** The service itself. */
  public static final Caller SYSTEM = new Caller(null, Via.SYSTEM, null, null);

  private static final int ACTOR_CHARACTERS_MAX = 200;

  /** How an act was requested. */
  public enum Via {
    API("api"),
    PAGE("page"),
    SYSTEM("system");

    private final String word;

    Via(String word) {
      this.word = word;
    }

    public String word() {
      return word;
    }
  }

  /**
   * The caller of a request to the internal API. Throws {@link Refusal} if the header contains no
   * valid name.
   */
  public static Caller ofApi(RoutingContext ctx) {
    List<String> given = ctx.request().headers().getAll(ACTOR_HEADER);
    if (given.isEmpty()) {
      return of(ctx, Via.API, null);
    }
    if (given.size() > 1) {
      throw new Refusal(400, ACTOR_HEADER + " must be given once");
    }
    return of(
        ctx,
        Via.API,
        utf8(given.get(0))
            .filter(Caller::isActor)
            .orElseThrow(() ->
                new Refusal(
                    400,
                    "%s must be 1 to %d visible characters in UTF-8"
                        .formatted(ACTOR_HEADER, ACTOR_CHARACTERS_MAX))));
  }

  /** Of a request to the settings page, whose session knows the actor. */
  public static Caller ofPage(RoutingContext ctx, @Nullable String actor) {
    return of(ctx, Via.PAGE, actor);
  }

  /** Whether the text can name an actor: visible characters, with spaces between them. */
  public static boolean isActor(String text) {
    return !text.isBlank()
        && text.codePointCount(0, text.length()) <= ACTOR_CHARACTERS_MAX
        && text.codePoints().allMatch(SafeText::isVisible);
  }

  private static Caller of(RoutingContext ctx, Via via, @Nullable String actor) {
    SocketAddress remote = ctx.request().remoteAddress();
    return new Caller(
        actor,
        via,
        remote == null ? null : remote.hostAddress(),
        ctx.response().headers().get(HttpExchange.REQUEST_ID));
  }

  /** Vert.x decodes header values as ISO 8859-1. */
  private static Optional<String> utf8(String header) {
    try {
      return Optional.of(
          UTF_8.newDecoder().decode(ByteBuffer.wrap(header.getBytes(ISO_8859_1))).toString());
    } catch (CharacterCodingException notUtf8) {
      return Optional.empty();
    }
  }
}

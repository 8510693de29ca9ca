package io.egress.dispatcher.documents;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.webhook.send.DocumentHead;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class DocumentCacheTest {
  private static final UUID FIRST = UUID.randomUUID();
  private static final UUID SECOND = UUID.randomUUID();
  private static final UUID THIRD = UUID.randomUUID();
  private static final UUID FOURTH = UUID.randomUUID();
  private static final UUID FIFTH = UUID.randomUUID();

  private final DocumentCache cache = new DocumentCache(400);

  @Test
  void evictsTheLeastRecentlyUsed() {
    cache.put(FIRST, head(100));
    cache.put(SECOND, head(100));
    cache.put(THIRD, head(100));
    cache.put(FOURTH, head(100));
    assertThat(cache.get(FIRST)).isNotNull();

    cache.put(FIFTH, head(100));

    assertThat(cache.get(SECOND)).isNull();
    assertThat(cache.get(FIRST)).isNotNull();
    assertThat(cache.get(FIFTH)).isNotNull();
  }

  @Test
  void aNewerDocumentReplacesAnOlderOne() {
    cache.put(FIRST, head(100));
    DocumentHead newer = head(60);
    cache.put(FIRST, newer);
    assertThat(cache.get(FIRST)).isSameAs(newer);

    cache.put(SECOND, head(100));
    cache.put(THIRD, head(100));
    cache.put(FOURTH, head(100));
    cache.put(FIFTH, head(40));

    assertThat(cache.get(FIRST)).isSameAs(newer);
  }

  @Test
  void doesNotEvictMostForOneLargeDocument() {
    cache.put(FIRST, head(100));

    cache.put(SECOND, head(101));

    assertThat(cache.get(FIRST)).isNotNull();
    assertThat(cache.get(SECOND)).isNull();
  }

  private static DocumentHead head(int length) {
    return new DocumentHead(1, new byte[length]);
  }
}

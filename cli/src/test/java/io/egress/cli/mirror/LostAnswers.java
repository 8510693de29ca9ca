package io.egress.cli.mirror;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Replaces each object twice, as a client does that got no answer to its first request. */
record LostAnswers(ObjectStore store) implements ObjectStore {
  @Override
  public String replace(String key, byte[] content, String type, @Nullable String etag)
      throws IOException {
    store.replace(key, content, type, etag);
    return store.replace(key, content, type, etag);
  }

  @Override
  public boolean hasVersions() throws IOException {
    return store.hasVersions();
  }

  @Override
  public void versions(String prefix, Consumer<Version> each) throws IOException {
    store.versions(prefix, each);
  }

  @Override
  public List<Version> someObjects(String prefix) throws IOException {
    return store.someObjects(prefix);
  }

  @Override
  public void objects(String prefix, Consumer<Version> each) throws IOException {
    store.objects(prefix, each);
  }

  @Override
  public Optional<Content> get(String key) throws IOException {
    return store.get(key);
  }

  @Override
  public void put(String key, byte[] content, String type) throws IOException {
    store.put(key, content, type);
  }

  @Override
  public void delete(String key) throws IOException {
    store.delete(key);
  }

  @Override
  public void deleteVersion(String key, String id) throws IOException {
    store.deleteVersion(key, id);
  }

  @Override
  public Optional<String> lock(String key, String id) throws IOException {
    return store.lock(key, id);
  }

  @Override
  public void close() {
    store.close();
  }
}

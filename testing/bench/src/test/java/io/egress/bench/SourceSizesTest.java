package io.egress.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What became longer than this was split, and could be named. */
class SourceSizesTest {
  private static final List<String> PRODUCT =
      List.of("api", "cli", "common", "dispatcher", "embedded", "standalone");

  private static final int FILE_LINES_MAX = 450;
  private static final int METHOD_LINES_MAX = 60;
  private static final int PARAMETERS_MAX = 7;

  @Test
  void noFileIsTooLong() throws IOException {
    List<String> tooLong = new ArrayList<>();
    for (Path source : sources()) {
      int lines = Files.readAllLines(source).size();
      if (lines > FILE_LINES_MAX) {
        tooLong.add(source.getFileName() + ": " + lines);
      }
    }
    assertThat(tooLong).isEmpty();
  }

  @Test
  void noMethodIsTooLong() throws IOException {
    List<String> tooLong = new ArrayList<>();
    SourceTrees.each(
        sources(),
        (file, positions) -> {
          LineMap lines = file.getLineMap();
          new TreeScanner<Void, Void>() {
            @Override
            public Void visitMethod(MethodTree method, Void unused) {
              long begin = positions.getStartPosition(file, method);
              long end = positions.getEndPosition(file, method);
              if (begin >= 0
                  && end >= 0
                  && lines.getLineNumber(end) - lines.getLineNumber(begin) >= METHOD_LINES_MAX) {
                tooLong.add(file.getSourceFile().getName() + ": " + method.getName());
              }
              return super.visitMethod(method, null);
            }
          }.scan(file, null);
        });
    assertThat(tooLong).isEmpty();
  }

  /** A command has one for each option, a record for each component, and a library decides. */
  @Test
  void noMethodHasTooManyParameters() throws IOException {
    List<String> tooMany = new ArrayList<>();
    SourceTrees.each(
        sources(),
        (file, _) ->
            new TreeScanner<Void, Void>() {
              private boolean isRecord;

              @Override
              public Void visitClass(ClassTree type, Void unused) {
                boolean before = isRecord;
                isRecord = type.getKind() == Tree.Kind.RECORD;
                super.visitClass(type, null);
                isRecord = before;
                return null;
              }

              @Override
              public Void visitMethod(MethodTree method, Void unused) {
                if (method.getParameters().size() > PARAMETERS_MAX
                    && !(isRecord && method.getReturnType() == null)
                    && method.getModifiers().getAnnotations().stream()
                        .map(annotation -> annotation.getAnnotationType().toString())
                        .noneMatch(Set.of("Command", "Override")::contains)) {
                  tooMany.add(file.getSourceFile().getName() + ": " + method.getName());
                }
                return super.visitMethod(method, null);
              }
            }.scan(file, null));
    assertThat(tooMany).isEmpty();
  }

  private static List<Path> sources() throws IOException {
    List<Path> sources = new ArrayList<>();
    for (String module : PRODUCT) {
      Path main = Path.of("..", "..", module, "src", "main", "java");
      try (Stream<Path> all = Files.walk(main)) {
        all.filter(path -> path.toString().endsWith(".java")).forEach(sources::add);
      }
    }
    assertThat(sources).hasSizeGreaterThan(500);
    return sources;
  }
}

package io.egress.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.LambdaExpressionTree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A lambda parameter that nobody reads has no name. */
class UnreadNamesTest {
  @Test
  void parametersThatAreNeverReadAreUnnamed() throws IOException {
    List<String> unread = new ArrayList<>();
    SourceTrees.each(
        sources(),
        (file, _) -> {
          String name = Path.of(file.getSourceFile().getName()).getFileName().toString();
          new TreeScanner<Void, Void>() {
            @Override
            public Void visitLambdaExpression(LambdaExpressionTree lambda, Void unused) {
              for (VariableTree parameter : lambda.getParameters()) {
                if (!parameter.getName().isEmpty() && !isRead(parameter, lambda)) {
                  unread.add(name + ": " + parameter.getName());
                }
              }
              return super.visitLambdaExpression(lambda, null);
            }
          }.scan(file, null);
        });

    assertThat(unread).isEmpty();
  }

  private static List<Path> sources() throws IOException {
    try (Stream<Path> all = Files.walk(Path.of("..", ".."))) {
      List<Path> sources =
          all.filter(path -> path.toString().endsWith(".java"))
              .filter(path -> path.toString().contains("src" + path.getFileSystem().getSeparator()))
              .toList();
      assertThat(sources).hasSizeGreaterThan(100);
      return sources;
    }
  }

  private static boolean isRead(VariableTree parameter, LambdaExpressionTree lambda) {
    boolean[] read = {false};
    new TreeScanner<Void, Void>() {
      @Override
      public Void visitIdentifier(IdentifierTree identifier, Void unused) {
        read[0] |= identifier.getName().equals(parameter.getName());
        return null;
      }
    }.scan(lambda.getBody(), null);
    return read[0];
  }
}

package io.egress.bench;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.vertx.core.VerticleBase;

/** Dependencies between packages. */
@AnalyzeClasses(packages = "io.egress", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {
  @ArchTest
  static final ArchRule MODULES =
      layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
          .layer("bench")
          .definedBy("io.egress.bench..")
          .layer("standalone")
          .definedBy("io.egress.standalone..")
          .layer("cli")
          .definedBy("io.egress.cli..")
          .layer("api")
          .definedBy("io.egress.api..")
          .layer("dispatcher")
          .definedBy("io.egress.dispatcher..")
          .layer("embedded")
          .definedBy("io.egress.embedded..")
          .layer("testing")
          .definedBy("io.egress.testing..")
          .whereLayer("bench")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("testing")
          .mayOnlyBeAccessedByLayers("bench")
          .whereLayer("standalone")
          .mayOnlyBeAccessedByLayers("bench")
          .whereLayer("cli")
          .mayOnlyBeAccessedByLayers("standalone", "bench")
          .whereLayer("api")
          .mayOnlyBeAccessedByLayers("standalone", "bench")
          .whereLayer("dispatcher")
          .mayOnlyBeAccessedByLayers("standalone", "bench")
          .whereLayer("embedded")
          .mayOnlyBeAccessedByLayers("standalone", "testing", "bench");

  /** Nothing reaches into what comes after it. */
  @ArchTest
  static final ArchRule LAYERS_OF_COMMON =
      layeredArchitecture()
          .consideringOnlyDependenciesInAnyPackage("io.egress..")
          .layer("platform")
          .definedBy("io.egress.platform..")
          .layer("transcript")
          .definedBy("io.egress.transcript..")
          .layer("webhook")
          .definedBy("io.egress.webhook..")
          .layer("settings")
          .definedBy("io.egress.settings..")
          .layer("processes")
          .definedBy(
              "io.egress.api..",
              "io.egress.dispatcher..",
              "io.egress.embedded..",
              "io.egress.cli..",
              "io.egress.standalone..",
              "io.egress.testing..",
              "io.egress.bench..")
          .ensureAllClassesAreContainedInArchitecture()
          .whereLayer("transcript")
          .mayOnlyBeAccessedByLayers("webhook", "settings", "processes")
          .whereLayer("webhook")
          .mayOnlyBeAccessedByLayers("settings", "processes")
          .whereLayer("settings")
          .mayOnlyBeAccessedByLayers("processes")
          .whereLayer("processes")
          .mayNotBeAccessedByAnyLayer();

  @ArchTest
  static final ArchRule NO_CYCLES = slices().matching("io.egress.(**)").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule PACKAGES_ARE_CONCEPTS =
      noClasses()
          .should()
          .resideInAnyPackage(
              "..common..", "..util..", "..utils..", "..model..", "..service..", "..helper..");

  @ArchTest
  static final ArchRule NOTHING_SLEEPS_ON_AN_EVENT_LOOP =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              "io.egress.bench..",
              "io.egress.standalone..",
              "io.egress.cli..",
              "io.egress.testing..",
              "io.egress.embedded..")
          .should()
          .callMethod(Thread.class, "sleep", long.class);

  @ArchTest
  static final ArchRule VERTICLES_SAY_SO =
      classes()
          .that()
          .areAssignableTo(VerticleBase.class)
          .should()
          .haveSimpleNameEndingWith("Verticle");
}

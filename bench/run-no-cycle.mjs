/** Runs ESLint's engine with the rule `import-x/no-cycle` alone on the files of a list; prints how many findings there are. */

import { readFileSync } from "node:fs";
import * as parser from "@typescript-eslint/parser";
import { ESLint } from "eslint";
import { createNodeResolver, importX } from "eslint-plugin-import-x";

const [root, list] = process.argv.slice(2);
const eslint = new ESLint({
  cwd: root,
  overrideConfigFile: true,
  ignore: false,
  overrideConfig: [
    {
      files: ["**/*.{js,mjs,cjs,ts,mts,tsx}"],
      plugins: { "import-x": importX },
      linterOptions: { reportUnusedDisableDirectives: "off" },
      settings: {
        "import-x/extensions": [".js", ".mjs", ".cjs", ".ts", ".mts", ".tsx"],
        "import-x/external-module-folders": [],
        "import-x/parsers": { "@typescript-eslint/parser": [".ts", ".mts", ".tsx"] },
        "import-x/resolver-next": [
          createNodeResolver({
            extensions: [".js", ".mjs", ".cjs", ".ts", ".tsx"],
            extensionAlias: { ".js": [".ts", ".js"] },
          }),
        ],
      },
      rules: { "import-x/no-cycle": "error" },
    },
    { files: ["**/*.{ts,mts,tsx}"], languageOptions: { parser } },
  ],
});
const results = await eslint.lintFiles(JSON.parse(readFileSync(list, "utf8")));
const found = results.flatMap(({ messages }) => messages);
const failed = found.filter(({ fatal }) => fatal);
if (0 < failed.length) console.error(`${failed.length} files do not parse: ${failed[0].message}`);
process.stdout.write(`${found.filter(({ ruleId }) => ruleId === "import-x/no-cycle").length}\n`);

// Code that a program makes while it runs and gives to `Function` or `eval`. The evaluator knows imports
// by their look, as they are today; here the code is parsed. What the parser does not know is refused,
// and so will be whatever the engine learns next.

import type { Node } from 'acorn';
import { SourceParser } from './source-parser.ts';

/** Returns the source. Throws a `SyntaxError` for what is no script, and for imports of every kind. */
export function checkDynamicCode(source: string): string {
  new DynamicCode(source).parse();
  return source;
}

class DynamicCode extends SourceParser {
  constructor(source: string) {
    // Acorn's own sentence about imports and exports in scripts speaks of its settings.
    super({ sourceType: 'script', strict: true, allowImportExportEverywhere: true }, source);
  }

  protected override refusal(message: string): Error {
    return new SyntaxError(message);
  }

  override parseExport(node: Node): Node {
    this.raise(node.start, 'exports are not possible in code that is made at run time');
  }
}

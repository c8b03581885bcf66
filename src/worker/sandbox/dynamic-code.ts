// Checks code that a program makes at run time and gives to `Function` or `eval`. The evaluator only
// searches it for texts that look like the imports of today; here it is parsed. Syntax that the parser
// does not know is refused, and so is what the engine will learn next.

import type { Node } from 'acorn';
import { SourceParser } from './source-parser.ts';

/** Returns the source. Throws a `SyntaxError` if it is no script or has an import of any kind. */
export function checkDynamicCode(source: string): string {
  new DynamicCode(source).parse();
  return source;
}

class DynamicCode extends SourceParser {
  constructor(source: string) {
    // Allowed here and refused below: acorn's own message about them speaks of its settings.
    super({ sourceType: 'script', strict: true, allowImportExportEverywhere: true }, source);
  }

  protected override refusal(message: string): Error {
    return new SyntaxError(message);
  }

  override parseExport(node: Node): Node {
    this.raise(node.start, 'exports are not possible in code that is made at run time');
  }
}

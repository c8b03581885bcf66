// Checks code that a program makes at run time and gives to `Function` or `eval`. The evaluator only
// searches it for texts that look like the imports of today; here it is parsed. Syntax that the parser
// does not know is refused, and so is what the engine will learn next. And `Function('return this')()`,
// by which packages ask for the global object, gets that of its job.

import type { AnyNode, Node } from 'acorn';
import { SourceEdits } from './source-edits.ts';
import { SourceParser } from './source-parser.ts';

/** Returns the source to evaluate. Throws a `SyntaxError` if it is no script or has an import of any kind. */
export function checkDynamicCode(source: string): string {
  return new DynamicCode(source).read();
}

/** The function that the evaluator makes of what `Function` is given. */
const madeFunction = '(function anonymous(';

class DynamicCode extends SourceParser {
  /** Where `this` of that function stands. */
  readonly #places: number[] = [];
  /** Where its body begins. */
  #body = 0;

  constructor(source: string) {
    // Allowed here and refused below: acorn's own message about them speaks of its settings.
    super({ sourceType: 'script', strict: true, allowImportExportEverywhere: true }, source);
  }

  /**
   * Code of `Function` is sloppy elsewhere, and `this` of a call without an object is the global object
   * there. Here it is strict; so a variable holds what `this` would be.
   */
  read(): string {
    this.parse();
    const places = this.#places.filter((place) => place > this.#body);
    if (places.length === 0 || !this.input.startsWith(madeFunction)) return this.input;
    let number = 0;
    while (this.input.includes(`$muster${number}_`)) number++;
    const edits = new SourceEdits(this.input);
    edits.insert(this.#body + 1, (own) => `const ${own}=this===undefined?globalThis:this;`);
    for (const place of places) edits.replace(place, place + 'this'.length, (own) => own);
    return edits.apply(`$muster${number}_`).text;
  }

  override finishNode<T extends Node>(node: T, type: string): T {
    const finished = super.finishNode(node, type) as unknown as AnyNode;
    // The scope of the script itself is the first, that of the function the second.
    if (finished.type === 'ThisExpression') {
      if (this.currentThisScope() === this.scopeStack[1]) this.#places.push(finished.start);
    } else if (finished.type === 'FunctionExpression' && finished.start === 1) {
      this.#body = finished.body.start;
    }
    return node;
  }

  protected override refusal(message: string): Error {
    return new SyntaxError(message);
  }

  override parseExport(node: Node): Node {
    this.raise(node.start, 'exports are not possible in code that is made at run time');
  }
}

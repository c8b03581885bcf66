// Turns an ES module into a script that the sandbox's evaluator accepts: `export` is removed, and danger
// words (see danger-words.ts) are written differently where they are only text. The lines keep their
// numbers. One pass of the parser does it all.

import type { AnyNode, Node, TokenType } from 'acorn';
import { tokTypes } from 'acorn';
import { escaped, literalOf, nextDanger } from './danger-words.ts';
import { type Shift, SourceEdits } from './source-edits.ts';
import { SourceParser } from './source-parser.ts';
import { programName } from './stack-text.ts';

/** The module cannot be a program; the message says why, in words for its author. */
export class ProgramInvalid extends Error {
  override readonly name = 'ProgramInvalid';
}

/** The form is only text, so jobs with the same program share it. */
export interface ScriptForm {
  /** Statements that may stand in the body of a strict async function. */
  readonly body: string;
  /** Where the body is longer than the module, or shorter, in its order. */
  readonly shifts: readonly Shift[];
  /** Name in the body that holds the default export at the end. */
  readonly defaultName: string;
  /** Name, not used by the program, under which the body finds the object made by `hiddenOf`. */
  readonly hiddenName: string;
  /** Parts of the tagged templates that were turned into calls of their tags. */
  readonly templates: readonly TemplateParts[];
}

interface TemplateParts {
  readonly cooked: readonly (string | undefined)[];
  readonly raw: readonly string[];
}

/** Throws `ProgramInvalid`. */
export function toScriptForm(source: string): ScriptForm {
  // A first line for the shell is legal in a module; inside of a function it must be a comment.
  const text = source.startsWith('#!') ? `//${source.slice(2)}` : source;
  return new ModuleReader(text).read();
}

/**
 * An expression: a function of an object with these names and of the hidden object. It returns a function
 * that runs the module; that is a function of its own, so that a program may declare the same names.
 */
export function scriptOf(
  { body, defaultName, hiddenName }: ScriptForm,
  names: readonly string[],
): string {
  const end = `;return {task: ${defaultName}};})`;
  return `${scriptStart(hiddenName, names)}${body}\n${end}\n//# sourceURL=${programName}`;
}

/** What stands before the body, on its first line. */
export function scriptStart(hiddenName: string, names: readonly string[]): string {
  return `(({${names.join()}}, ${hiddenName}) => async function () {`;
}

/** The hidden object of one job; each job gets objects of its own. */
export function hiddenOf({ templates }: ScriptForm): object {
  return Object.freeze({ RegExp, templates: Object.freeze(templates.map(templateObject)) });
}

interface RegexpParts {
  readonly pattern: string;
  readonly flags: string;
}

type Of<Type extends AnyNode['type']> = Extract<AnyNode, { type: Type }>;

/** Names that are added begin like this, with the first number that the program does not use. */
const ownPrefix = /^\$muster(\d+)_/;

class ModuleReader extends SourceParser {
  readonly #edits: SourceEdits;
  /** Where the next danger word stands. */
  #danger: number;
  /** Danger words in the piece of a template that was read last, and where the piece begins. */
  #inTemplate: { readonly start: number; readonly places: readonly number[] } | null = null;
  /** Where pieces of tagged templates begin that contain danger words. */
  readonly #taggedPieces = new Set<number>();
  readonly #templates: TemplateParts[] = [];
  /** Where the word `new` of the expression being parsed ends. */
  #newEnd = 0;
  readonly #takenNumbers = new Set<number>();
  /** Undefined while no default export was seen; null for one without a name. */
  #defaultName: string | null | undefined;

  /** Start of the default export with the brackets around it, which its node leaves out. */
  #defaultStart = 0;

  constructor(source: string) {
    super({ sourceType: 'module', allowHashBang: false }, source);
    this.#edits = new SourceEdits(source);
    this.#danger = nextDanger(source, 0);
  }

  read(): ScriptForm {
    this.parse();
    if (this.#defaultName === undefined) {
      throw new ProgramInvalid(
        'the module has no default export: write `export default function …`',
      );
    }
    let number = 0;
    while (this.#takenNumbers.has(number)) number++;
    const name = `$muster${number}_`;
    const { text, shifts } = this.#edits.apply(name);
    return {
      body: text,
      shifts,
      defaultName: this.#defaultName ?? `${name}default`,
      hiddenName: name,
      templates: this.#templates,
    };
  }

  protected override refusal(message: string): Error {
    return new ProgramInvalid(message);
  }

  // Danger words.

  override skipLineComment(width: number): void {
    super.skipLineComment(width);
    this.#blankDangers();
  }

  override skipBlockComment(): void {
    super.skipBlockComment();
    this.#blankDangers();
  }

  override finishToken(type: TokenType, value?: unknown): void {
    super.finishToken(type, value);
    if (type === tokTypes.name) this.#noteOwnName(value as string);
    if (this.#danger < this.pos) this.#disarmToken(type, value);
  }

  #blankDangers(): void {
    for (const at of this.#dangersSoFar()) this.#edits.replace(at, at + 1, ' ');
  }

  #disarmToken(type: TokenType, value: unknown): void {
    const places = this.#dangersSoFar();
    if (type === tokTypes.regexp) return this.#buildRegexp(value as RegexpParts);
    if (type === tokTypes.template || type === tokTypes.invalidTemplate) {
      this.#inTemplate = { start: this.start, places };
    } else if (isText(type)) {
      this.#escape(places);
    } else {
      for (const at of places) this.#edits.insert(at, ' ');
    }
  }

  /**
   * Danger words up to the position of the tokenizer; they all lie in the token that it has just
   * read.
   */
  #dangersSoFar(): number[] {
    const places: number[] = [];
    for (; this.#danger < this.pos; this.#danger = nextDanger(this.input, this.#danger)) {
      places.push(this.#danger);
    }
    return places;
  }

  #escape(places: readonly number[]): void {
    for (const at of places) this.#edits.replace(at, at + 1, escaped(this.input.charAt(at)));
  }

  /**
   * A program can read `source`, so the text of a regular expression must stay: it is constructed
   * from it.
   */
  #buildRegexp({ pattern, flags }: RegexpParts): void {
    const args = `(${literalOf(pattern)},"${flags}")`;
    this.#edits.replace(this.start, this.end, (own) => ` new ${own}.RegExp${args}`);
  }

  override parseTemplateElement(where: { readonly isTagged: boolean }): Node {
    const piece = this.#inTemplate;
    if (piece?.start === this.start) {
      if (where.isTagged) this.#taggedPieces.add(piece.start);
      else this.#escape(piece.places);
    }
    return super.parseTemplateElement(where);
  }

  override parseSubscript(
    base: Node,
    at: number,
    place: unknown,
    noCalls: boolean,
    ...more: readonly unknown[]
  ): Node {
    const node = super.parseSubscript(base, at, place, noCalls, ...more);
    if (node !== base && node.type === 'TaggedTemplateExpression') {
      this.#callTag(node as Of<'TaggedTemplateExpression'>, noCalls);
    }
    return node;
  }

  /**
   * A tag sees the text as it is written, so the tag is called with the object that the engine
   * would pass.
   */
  #callTag({ quasi }: Of<'TaggedTemplateExpression'>, isConstructed: boolean): void {
    const pieces = quasi.quasis;
    if (!pieces.some(({ start }) => this.#taggedPieces.has(start))) return;
    const index = this.#templates.push(templateParts(pieces)) - 1;
    for (const piece of pieces) {
      const isFirst = piece === pieces[0];
      const start = isFirst ? quasi.start : piece.start - '}'.length;
      const end = piece.tail ? quasi.end : piece.end + '${'.length;
      const after = piece.tail ? ')' : ',(';
      this.#edits.replace(start, end, (own) =>
        isFirst ? `(${own}.templates[${index}]${after}` : `)${after}`,
      );
    }
    // `new tag(…)` would construct the tag.
    if (isConstructed) {
      this.#edits.insert(this.#newEnd, '(');
      this.#edits.insert(quasi.end, ')');
    }
  }

  override parseNew(): Node {
    const outer = this.#newEnd;
    this.#newEnd = this.end;
    const node = super.parseNew();
    this.#newEnd = outer;
    return node;
  }

  // Exports.

  override finishNode<T extends Node>(node: T, type: string): T {
    const finished = super.finishNode(node, type) as unknown as AnyNode;
    if (finished.type === 'ExportDefaultDeclaration') this.#takeDefault(finished);
    else if (finished.type === 'ExportNamedDeclaration') this.#takeExport(finished);
    else if (finished.type === 'CallExpression') this.#checkCall(finished);
    return node;
  }

  override parseExportDefaultDeclaration(): Node {
    this.#defaultStart = this.start;
    return super.parseExportDefaultDeclaration();
  }

  #takeDefault({ start, end, declaration }: Of<'ExportDefaultDeclaration'>): void {
    if (isDeclaration(declaration) && declaration.id !== null) {
      this.#defaultName = declaration.id.name;
      this.#edits.replace(start, declaration.start, ' ');
      return;
    }
    // As a property it gets the name `default` if it has none, as it does in a module.
    this.#defaultName = null;
    this.#edits.replace(start, this.#defaultStart, (own) => `const ${own}default = {default: `);
    const hasSemicolon = this.input[end - 1] === ';';
    this.#edits.insert(hasSemicolon ? end - 1 : end, '}.default;');
  }

  #takeExport({ start, end, source, declaration, specifiers }: Of<'ExportNamedDeclaration'>): void {
    if (source) this.raise(start, fromOthers);
    if (declaration) {
      this.#edits.replace(start, declaration.start, ' ');
      return;
    }
    for (const { exported, local } of specifiers) {
      if (nameOf(exported) === 'default') this.#defaultName = nameOf(local);
    }
    this.#edits.replace(start, end, ';');
  }

  override parseExportAllDeclaration(): Node {
    this.raise(this.start, fromOthers);
  }

  override checkExport(exports: object | undefined, name: string | Node, at: number): void {
    const text = typeof name === 'string' ? name : nameOf(name as ExportName);
    if (exports && text === 'default' && text in exports) {
      this.raise(at, 'there are two default exports');
    }
    super.checkExport(exports, name, at);
  }

  #checkCall({ start, callee, optional }: Of<'CallExpression'>): void {
    if (callee.type !== 'Identifier' || callee.name !== 'eval' || optional) return;
    this.raise(start, 'direct eval is not available; (0, eval)(text) is, without local variables');
  }

  #noteOwnName(name: string): void {
    const number = ownPrefix.exec(name)?.[1];
    if (number !== undefined) this.#takenNumbers.add(Number(number));
  }
}

const fromOthers =
  'exports from other modules are not possible: bundle the program into one module';

type ExportName = Of<'Identifier'> | Of<'Literal'>;

function nameOf(name: ExportName): string {
  return name.type === 'Identifier' ? name.name : String(name.value);
}

type Declaration = Of<'ExportDefaultDeclaration'>['declaration'];

function isDeclaration(
  node: Declaration,
): node is Extract<Declaration, { type: 'FunctionDeclaration' | 'ClassDeclaration' }> {
  return node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration';
}

/** Tokens in which a character can be written as its escape; a keyword here is the name of a property. */
function isText(type: TokenType): boolean {
  return (
    type === tokTypes.string ||
    type === tokTypes.name ||
    type === tokTypes.privateId ||
    type.keyword !== undefined
  );
}

function templateParts(pieces: readonly Of<'TemplateElement'>[]): TemplateParts {
  return {
    cooked: pieces.map(({ value }) => value.cooked ?? undefined),
    raw: pieces.map(({ value }) => value.raw),
  };
}

/** The object that the engine makes for a tag, once for each place in the source. */
function templateObject({ cooked, raw }: TemplateParts): object {
  return Object.freeze(
    Object.defineProperty([...cooked], 'raw', { value: Object.freeze([...raw]) }),
  );
}

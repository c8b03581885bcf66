// Errors of a job, gathered into kinds: 9 000 failures are often one mistake. Errors are of one kind when
// their types are equal, and their messages but for numbers, ids and what stands in quotes.

/** What is kept of a message, and compared. */
const comparedCharacters = 500;
/** Kinds that are counted; errors of further ones are not. */
const mostKinds = 1_000;
/** Different errors whose kind is remembered, so that equal ones are not taken apart again. */
const mostRemembered = 1_000;
const mostExamples = 3;

export interface FailedAttempt {
  readonly index: number;
  readonly workerId: string;
  readonly errorType: string;
  readonly errorMessage: string;
}

export interface ErrorKind {
  readonly type: string;
  /** As all of them say it; where they differ, with marks in place of what differs. */
  readonly message: string;
  readonly varies: boolean;
  /** As the first of them says it. */
  readonly exampleMessage: string;
  readonly attempts: number;
  readonly tasks: number;
  readonly workers: ReadonlySet<string>;
  /** Indices of the first tasks that had it. */
  readonly examples: readonly number[];
}

interface Counted {
  readonly type: string;
  readonly folded: string;
  readonly first: string;
  varies: boolean;
  attempts: number;
  tasks: number;
  lastIndex: number;
  readonly workers: Set<string>;
  readonly examples: number[];
}

export class ErrorKinds {
  attempts = 0;
  /** False when some were of too many kinds to be counted. */
  isComplete = true;
  readonly #kinds = new Map<string, Counted>();
  readonly #remembered = new Map<string, Counted>();

  /** In the order of tasks. */
  add({ index, workerId, errorType, errorMessage }: FailedAttempt): void {
    this.attempts++;
    const message = errorMessage.slice(0, comparedCharacters);
    const kind = this.#kindOf(errorType, message);
    if (kind === undefined) {
      this.isComplete = false;
      return;
    }
    kind.varies ||= message !== kind.first;
    kind.attempts++;
    kind.workers.add(workerId);
    if (kind.lastIndex === index) return;
    kind.lastIndex = index;
    kind.tasks++;
    if (kind.examples.length < mostExamples) kind.examples.push(index);
  }

  /** The most frequent first. */
  list(limit: number): readonly ErrorKind[] {
    return [...this.#kinds.values()]
      .sort((a, b) => b.attempts - a.attempts || a.examples[0]! - b.examples[0]!)
      .slice(0, limit)
      .map(({ type, folded, first, varies, attempts, tasks, workers, examples }) => ({
        type,
        message: varies ? folded : first,
        varies,
        exampleMessage: first,
        attempts,
        tasks,
        workers,
        examples,
      }));
  }

  #kindOf(type: string, message: string): Counted | undefined {
    const text = `${type}\u0000${message}`;
    const remembered = this.#remembered.get(text);
    if (remembered !== undefined) return remembered;
    const folded = foldedMessage(message);
    const key = `${type}\u0000${folded}`;
    let kind = this.#kinds.get(key);
    if (kind === undefined) {
      if (this.#kinds.size === mostKinds) return undefined;
      kind = {
        type,
        folded,
        first: message,
        varies: false,
        attempts: 0,
        tasks: 0,
        lastIndex: -1,
        workers: new Set(),
        examples: [],
      };
      this.#kinds.set(key, kind);
    }
    if (this.#remembered.size < mostRemembered) this.#remembered.set(text, kind);
    return kind;
  }
}

/** `"…"` for what stands in quotes, `<id>` for ids and hashes, `#` for numbers. */
export function foldedMessage(message: string): string {
  return message
    .replace(/"[^"]{0,500}"|`[^`]{0,500}`|(?<!\w)'[^']{0,500}'(?!\w)|“[^”]{0,500}”/g, '"…"')
    .replace(/\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/gi, '<id>')
    .replace(/\b(?=[a-f]{0,40}\d)(?=\d{0,40}[a-f])[\da-f]{8,128}\b/gi, '<id>')
    .replace(
      /(?<![\w.])[-+]?(?:0x[\da-f]{1,32}|\d{1,40}(?:[._,]\d{1,40}){0,8}(?:e[-+]?\d{1,4})?)/gi,
      '#',
    );
}

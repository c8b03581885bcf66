// The heads of jobs that came last, by their text: who submits a job for each of its tasks sends the same head again
// and again, which then is neither parsed nor checked anew. Only what depends on nothing but its text is kept.

import type { Submission } from '../coordinator/port/jobs.ts';

const mostHeads = 32;
/** With a longer one, everything else that a job costs is more than this saves. */
const mostBytes = 4 * 1024;

export class KnownHeads {
  /** What was used last is at the end. */
  readonly #heads = new Map<string, Submission>();

  /** The text by which to ask and to keep; undefined for one that is too long. */
  keyOf(line: Buffer): string | undefined {
    // A character for each byte, so that different bytes are different texts.
    return line.length > mostBytes ? undefined : line.toString('latin1');
  }

  find(key: string): Submission | undefined {
    const found = this.#heads.get(key);
    if (found === undefined) return undefined;
    this.#heads.delete(key);
    this.#heads.set(key, found);
    return found;
  }

  keep(key: string, submission: Submission): void {
    // Who is told of the end is checked each time, and secrets are not kept; priorities belong to one job.
    if (submission.notify !== null || submission.taskPriorities !== null) return;
    if (this.#heads.size >= mostHeads) {
      for (const [oldest] of this.#heads) {
        this.#heads.delete(oldest);
        break;
      }
    }
    this.#heads.set(key, submission);
  }
}

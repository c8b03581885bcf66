// The shells of a child: one is prepared while the child has nothing to do, so that the program of a new job
// only has to move in. More than one would save nothing: the child runs one attempt at a time, and makes what
// is missing.

import type { Host } from './host.ts';
import { ProgramShell } from './program-shell.ts';

export class ProgramShells {
  readonly #host: Host;
  #prepared: ProgramShell | null = null;

  constructor(host: Host) {
    this.#host = host;
  }

  /** Takes some 0.1 ms of CPU when none is there, the first time more. */
  prepare(): void {
    this.#prepared ??= new ProgramShell(this.#host);
  }

  /** One that nobody else has or gets. */
  take(): ProgramShell {
    const shell = this.#prepared ?? new ProgramShell(this.#host);
    this.#prepared = null;
    return shell;
  }
}

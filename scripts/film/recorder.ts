// Records what a terminal shows: a frame for each look at it that found something new.

import type { IBufferLine, Terminal } from '@xterm/headless';
import type { Frame, Run } from './frames.ts';

const LOOK_MS = 60;
/** Longer waits are cut. */
const LONGEST_WAIT_MS = 5_000;

export class Recorder {
  readonly #terminal: Terminal;
  readonly #frames: Frame[] = [];
  readonly #timer: NodeJS.Timeout;
  #shown: Omit<Frame, 'forMs'>;
  #sinceMs = performance.now();

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    this.#shown = this.#look();
    this.#timer = setInterval(() => {
      const now = this.#look();
      if (JSON.stringify(now) !== JSON.stringify(this.#shown)) this.#cut(now);
    }, LOOK_MS);
  }

  stop(): readonly Frame[] {
    clearInterval(this.#timer);
    this.#cut(this.#shown);
    return this.#frames;
  }

  #cut(next: Omit<Frame, 'forMs'>): void {
    const nowMs = performance.now();
    const forMs = Math.min(Math.round(nowMs - this.#sinceMs), LONGEST_WAIT_MS);
    this.#frames.push({ ...this.#shown, forMs });
    this.#shown = next;
    this.#sinceMs = nowMs;
  }

  #look(): Omit<Frame, 'forMs'> {
    const { cols, rows, buffer } = this.#terminal;
    const { active } = buffer;
    return {
      columns: cols,
      lines: Array.from({ length: rows }, (_, row) => runsOf(active.getLine(active.baseY + row))),
      cursor: { column: active.cursorX, row: active.cursorY },
    };
  }
}

function runsOf(line: IBufferLine | undefined): readonly Run[] {
  const runs: Run[] = [];
  for (let column = 0; column < (line?.length ?? 0); column++) {
    const cell = line?.getCell(column);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const run = {
      column,
      text: cell.getChars() || ' ',
      color: cell.isFgPalette() ? cell.getFgColor() : undefined,
      isBold: cell.isBold() !== 0,
      isDim: cell.isDim() !== 0,
    };
    const last = runs.at(-1);
    if (last !== undefined && looksLike(last, run)) {
      runs[runs.length - 1] = { ...last, text: last.text + run.text };
    } else runs.push(run);
  }
  return runs
    .map((run, at) => (at === runs.length - 1 ? { ...run, text: run.text.trimEnd() } : run))
    .filter(({ text }) => text.trim() !== '');
}

function looksLike(a: Run, b: Run): boolean {
  return a.color === b.color && a.isBold === b.isBold && a.isDim === b.isDim;
}

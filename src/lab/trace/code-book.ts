// Takes names away: everything by which people, machines or purposes could be known becomes a number or a short code,
// the same for the same. What a code stood for is kept in memory alone, until the recording ends.

import type { Requirements } from '../../core/records.ts';
import type { RecordOf } from './trace-format.ts';

/** Words that name no one: they stay as they are. Kinds of devices, platforms, ways to isolate. */
const plainWords: ReadonlySet<string> = new Set(
  (
    'pc android_node browser ' +
    'linux darwin win32 android freebsd openbsd sunos aix ios ' +
    'ses bubblewrap simulated'
  ).split(' '),
);

type CodedRequirements = RecordOf<'job'>['requirements'];

export class CodeBook {
  readonly #jobs = new Map<string, number>();
  readonly #workers = new Map<string, number>();
  readonly #codes = { k: new Map<string, string>(), v: new Map<string, string>() };
  readonly #words = new Map<string, string>();
  #lastJob = 0;
  #lastWorker = 0;

  /** Undefined: nothing was heard of it before. */
  findJob(id: string): number | undefined {
    return this.#jobs.get(id);
  }

  addJob(id: string): number {
    this.#jobs.set(id, ++this.#lastJob);
    return this.#lastJob;
  }

  forgetJob(id: string): void {
    this.#jobs.delete(id);
  }

  worker(id: string): number {
    const known = this.#workers.get(id);
    if (known !== undefined) return known;
    this.#workers.set(id, ++this.#lastWorker);
    return this.#lastWorker;
  }

  /** Kinds of devices, platforms and ways to isolate: workers may say what they like. */
  word(word: string): string {
    if (plainWords.has(word)) return word;
    return codeIn(this.#words, 'w', word);
  }

  /** As workers say it: words joined by `+`. */
  isolation(said: string): string {
    return said
      .split('+')
      .map((part) => this.word(part))
      .join('+');
  }

  labels(labels: Readonly<Record<string, string>>): Record<string, string> {
    return Object.fromEntries(
      Object.entries(labels).map(([key, value]) => [
        codeIn(this.#codes.k, 'k', key),
        codeIn(this.#codes.v, 'v', value),
      ]),
    );
  }

  requirements(asked: Requirements | null): CodedRequirements {
    if (asked === null) return null;
    const { type, platform, isolation, labels, minRamMb, minBatteryPercent, taskMemoryMb } = asked;
    return {
      ...(type === undefined ? {} : { type: type.map((each) => this.word(each)) }),
      ...(platform === undefined ? {} : { platform: platform.map((each) => this.word(each)) }),
      ...(isolation === undefined ? {} : { isolation: this.word(isolation) }),
      ...(labels === undefined ? {} : { labels: this.labels(labels) }),
      ...(minRamMb === undefined ? {} : { min_ram_mb: minRamMb }),
      ...(minBatteryPercent === undefined ? {} : { min_battery_percent: minBatteryPercent }),
      ...(taskMemoryMb === undefined ? {} : { task_memory_mb: taskMemoryMb }),
    };
  }
}

function codeIn(codes: Map<string, string>, letter: string, word: string): string {
  let code = codes.get(word);
  if (code === undefined) {
    code = `${letter}${codes.size + 1}`;
    codes.set(word, code);
  }
  return code;
}

// The programs of jobs, as they are sent. Each is kept once, under its hash, however many jobs and
// connections need it; the longest unused ones are forgotten first.

import type { JobSpec } from '../../core/records.ts';
import type { ProgramDescription } from '../../protocol/messages.ts';
import { RawJson } from '../../protocol/codec.ts';
import { kindOf, withoutMap } from '../../protocol/program.ts';
import { ProgramShelf } from '../../protocol/program-shelf.ts';
import type { JobPayload, ProgramText } from '../../store/rows.ts';
import type { JobReading } from '../../store/reading.ts';
import { storedProgram } from '../program-text.ts';

/** What is kept: one submission is likely to be followed by others with the same program. */
const bounds = { programs: 10_000, characters: 32 * 1024 * 1024 };

export interface SentProgram extends ProgramDescription {
  readonly sha256: string;
  readonly definition?: RawJson;
  readonly shared?: RawJson;
}

/** As the worker counts them for what it keeps. */
export function charactersOf({ source = '', definition, shared }: SentProgram): number {
  const ofShared = shared === undefined ? 0 : mostCharacters(shared.text);
  return source.length + (definition?.text.length ?? 0) + ofShared;
}

/** The worker parses it and writes it anew, which may be longer: it must never count more. */
function mostCharacters(json: string): number {
  return Math.max(json.length, JSON.stringify(JSON.parse(json)).length);
}

/** One job is one object. */
interface Known {
  readonly spec: Pick<JobSpec, 'key'>;
}

type ProgramReading = Pick<JobReading, 'findProgram' | 'findProgramHash'>;

export class Programs {
  private readonly store: ProgramReading;
  private readonly shelf = new ProgramShelf<SentProgram>(bounds);
  private readonly hashes = new WeakMap<Known, string>();

  constructor(store: ProgramReading) {
    this.store = store;
  }

  /** The hash of the job's program; undefined when the job is gone. `payload` came with the job's commit. */
  async hashOf(job: Known, payload: JobPayload | undefined): Promise<string | undefined> {
    if (payload !== undefined) this.keep(job, payload.program);
    const known = this.hashes.get(job);
    if (known !== undefined) return known;
    const found = await this.store.findProgramHash(job.spec.key);
    if (found !== undefined) this.hashes.set(job, found);
    return found;
  }

  async find(job: Known): Promise<SentProgram | undefined> {
    const sha256 = this.hashes.get(job);
    const kept = sha256 === undefined ? undefined : this.shelf.use(sha256);
    if (kept !== undefined) return kept;
    const text = await this.store.findProgram(job.spec.key);
    return text && this.keep(job, text);
  }

  /** The database was cleared, so its programs are not kept either. */
  clear(): void {
    this.shelf.clear();
  }

  /** The program came with the job. */
  keep(job: Known, text: ProgramText): SentProgram {
    const { sha256 } = text;
    this.hashes.set(job, sha256);
    const kept = this.shelf.use(sha256);
    if (kept !== undefined) return kept;
    const program = sentProgram(text);
    this.shelf.put(sha256, charactersOf(program), program);
    return program;
  }
}

function sentProgram(text: ProgramText): SentProgram {
  const { sha256, json } = text;
  const { program, shared: sharedJson } = storedProgram(text);
  const kind = kindOf(program);
  const shared = sharedJson === undefined ? {} : { shared: new RawJson(sharedJson) };
  if (program.kind === 'javascript') {
    return { kind, sha256, source: withoutMap(program.source), ...shared };
  }
  const definition = new RawJson(sharedJson === undefined ? json : JSON.stringify(program));
  return { kind, sha256, definition, ...shared };
}

// The programs that a child knows, by their jobs.

import { CheckpointCost } from './checkpoint-schedule.ts';
import { GuestProgram } from './guest-program.ts';
import type { Guests } from './guests.ts';
import type { Host } from './host.ts';
import { LentBlobs } from './lent-blobs.ts';
import type { KeepOutput, ProgramExtras } from './messages.ts';
import { Program } from './program.ts';
import { ProgramShells } from './program-shells.ts';
import { ProgramTexts } from './program-texts.ts';
import { parseShared, sharedOf } from './shared-value.ts';

export interface ProgramsPorts {
  readonly readLent: (name: string) => Uint8Array;
  /** A timer of a program has thrown. */
  readonly onTimerError: (program: Program, error: unknown) => void;
}

export class Programs {
  readonly #host: Host;
  readonly #guests: Guests;
  readonly #ports: ProgramsPorts;
  readonly #programs = new Map<string, Program | GuestProgram>();
  readonly #texts = new ProgramTexts();
  readonly #shells: ProgramShells;

  constructor(host: Host, guests: Guests, ports: ProgramsPorts) {
    this.#host = host;
    this.#guests = guests;
    this.#ports = ports;
    this.#shells = new ProgramShells(host);
  }

  /** So that the next new job waits for less. */
  prepare(): void {
    this.#shells.prepare();
  }

  get(jobId: string): Program | GuestProgram | undefined {
    return this.#programs.get(jobId);
  }

  /**
   * `source` is null when another job here has the same program. `ownMs` is the job's own interval of
   * checkpoints, `meanTimeMs` the mean time between losses.
   */
  add(
    jobId: string,
    sha256: string | null,
    source: string | null,
    ownMs: number | null,
    meanTimeMs: number,
    keepOutput: KeepOutput = 'on_failure',
    extras?: ProgramExtras,
  ): void {
    const cost = new CheckpointCost(ownMs, meanTimeMs);
    const isGuest = extras !== undefined && extras.kind !== 'javascript';
    const program = isGuest
      ? this.#guest(jobId, source ?? '', cost, extras)
      : this.#javaScript(jobId, sha256, source, cost, extras);
    if (program === null) return;
    program.keepOutput = keepOutput;
    this.#programs.set(jobId, program);
  }

  forget(jobId: string): void {
    const program = this.#programs.get(jobId);
    this.#programs.delete(jobId);
    if (program instanceof GuestProgram) program.forget();
    else if (program !== undefined) this.#texts.letGo(program.text);
  }

  #javaScript(
    jobId: string,
    sha256: string | null,
    source: string | null,
    cost: CheckpointCost,
    extras: ProgramExtras | undefined,
  ): Program | null {
    const text = this.#texts.take(sha256, source);
    if (text === undefined) return null;
    const readShared = extras === undefined ? null : () => parseShared(this.#given(extras).shared);
    const program = new Program(jobId, text, cost, this.#shells, readShared);
    program.onTimerError = (error) => this.#ports.onTimerError(program, error);
    return program;
  }

  #guest(
    jobId: string,
    programJson: string,
    cost: CheckpointCost,
    extras: ProgramExtras,
  ): GuestProgram {
    const { kind, memoryMb } = extras;
    const source = () => ({ jobId, programJson, memoryMb, ...this.#given(extras) });
    return new GuestProgram(kind, source, cost, this.#guests);
  }

  #given({ sharedJson, blobs }: ProgramExtras) {
    const { bytesOf } = new LentBlobs(blobs, this.#ports.readLent);
    return { bytesOf, shared: sharedOf({ json: sharedJson, bytesOf, toText: this.#host.toText }) };
  }
}

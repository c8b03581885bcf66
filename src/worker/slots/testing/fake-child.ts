// A sandbox child without a process: the test sends its messages, and reads those that were sent to
// it.

import { ChildPrograms } from '../child-programs.ts';
import type { BlobContent } from '../../executor.ts';
import type { FromChild, LentBlob, ToChild } from '../../sandbox/messages.ts';
import { doneResult } from '../../sandbox/messages.ts';
import type { Child, ChildListener, EndCause } from '../child.ts';

export class FakeChild implements Child {
  listener: ChildListener | null = null;
  owner: string | null = null;
  isReady = false;
  hasEnded = false;
  endCause: EndCause = null;
  endedBy = '';
  readonly programs = new ChildPrograms();
  lastNumber = 0;
  grownMb = 0;
  memoryLimitMb = 100;
  serves = 'javascript';
  output = '';
  hadCompany = false;
  readonly pid: number;
  /** Jobs whose blobs it has; and why it takes none. */
  readonly lentTo = new Set<string>();
  lendingFault: Error | null = null;
  readonly told: ToChild[] = [];
  readonly stopNotes: (readonly [number: number, wantsCheckpoint: boolean])[] = [];
  /** How often it was told something. */
  wokenTimes = 0;
  #position = 0;

  constructor(pid: number) {
    this.pid = pid;
  }

  /** `job: inputs` of every batch that it was handed. */
  get runs(): string[] {
    return this.told.flatMap((message) =>
      message[0] === 'run'
        ? [`${message[1]}: ${message[2].filter((_, i) => i % 7 === 1).join(' ')}`]
        : [],
    );
  }

  send(...messages: readonly ToChild[]): void {
    this.told.push(...messages);
    this.wokenTimes += 1;
  }

  position(): number {
    return this.#position;
  }

  lend(jobId: string, blobs: ReadonlyMap<string, BlobContent>): readonly LentBlob[] {
    if (this.lendingFault !== null) throw this.lendingFault;
    this.lentTo.add(jobId);
    return [...blobs.keys()].map((sha256) => [sha256, `file of ${sha256}`]);
  }

  takeBack(jobId: string): void {
    this.lentTo.delete(jobId);
  }

  noteStop(number: number, wantsCheckpoint: boolean): void {
    this.stopNotes.push([number, wantsCheckpoint]);
  }

  watchMemory(): void {}

  terminate(cause: EndCause): void {
    this.kill(cause);
  }

  kill(cause: EndCause): void {
    this.endCause ??= cause;
  }

  // ---- what the test does

  becomeReady(): void {
    this.isReady = true;
    this.listener?.childReady(this);
  }

  /** The child runs the attempt with this number. */
  begin(number: number): void {
    this.#position = number;
  }

  say(message: FromChild): void {
    this.listener?.childSaid(this, message);
  }

  finish(...numbers: number[]): void {
    this.begin(numbers.at(-1)!);
    this.say(['done', numbers.flatMap((number) => [number, doneResult, String(number), 1, 0])]);
  }

  end(cause: EndCause, endedBy = 'signal SIGKILL'): void {
    this.endCause ??= cause;
    this.endedBy = endedBy;
    this.hasEnded = true;
    this.listener?.childEnded(this);
  }
}

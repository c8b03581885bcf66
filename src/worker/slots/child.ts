// A child as its slot sees it: a process of a PC, or a frame of a browser. Which attempts it is given is
// decided in slot-runner.ts.

import type { BlobContent } from '../executor.ts';
import type { FromChild, LentBlob, ToChild } from '../sandbox/messages.ts';
import type { ChildPrograms } from './child-programs.ts';

/** Why the agent ended it; null when it ended by itself. */
export type EndCause = 'stopped' | 'out_of_memory' | 'unresponsive' | 'retired' | 'closed' | null;

export interface ChildListener {
  childReady(child: Child): void;
  childSaid(child: Child, message: FromChild): void;
  /** Comes after all messages of the child. */
  childEnded(child: Child): void;
}

export interface Child {
  listener: ChildListener | null;
  /** Owner of the attempts that it was given; null before the first: it may serve any owner. */
  owner: string | null;
  readonly isReady: boolean;
  /** Which one it is: the id of a process, or the number of a frame; undefined when it never began. */
  readonly pid: number | undefined;
  readonly endCause: EndCause;
  /** How it ended: `exit code 1`, `signal SIGSEGV`. */
  readonly endedBy: string;
  /** The end of what it printed: above all the error with which the engine ended. */
  readonly output: string;
  /** It ended with a process that other children had a part in: any of them may have been the cause. */
  readonly hadCompany: boolean;
  /** Programs that the child knows. */
  readonly programs: ChildPrograms;
  /** Number of the attempt that was handed over last; numbers count from 1 within a child. */
  lastNumber: number;
  /** What it is there for, from its start to its end: see serving.ts. */
  readonly serves: string;
  /** Memory that it holds beyond what it held when it was ready. */
  readonly grownMb: number;
  /** What its tasks may take beyond what it held when it was ready. */
  readonly memoryLimitMb: number;

  /**
   * Makes blobs of a job readable to the child, and tells how. Throws when it cannot; then none of them is.
   * `takeBack`: the child was told to forget the job.
   */
  lend(jobId: string, blobs: ReadonlyMap<string, BlobContent>): readonly LentBlob[];
  takeBack(jobId: string): void;
  /** They leave together: a child is woken once for all of them. */
  send(...messages: readonly ToChild[]): void;
  /**
   * Number of the attempt that was begun last, 0 before the first. Known also when the child has
   * ended.
   */
  position(): number;
  /** Notes, outside of the message channel, that an attempt shall stop. Where there is no such place, nothing. */
  noteStop(number: number, wantsCheckpoint: boolean): void;
  /** Kills the child when it holds more memory than its limit. Reads at most once in `everyMs`. */
  watchMemory(nowMs: number, everyMs: number): void;
  /** Ends the child, which may still say why it was in trouble. */
  terminate(cause: EndCause): void;
  kill(cause: EndCause): void;
}

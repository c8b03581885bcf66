// An attempt of a guest: what it is given, and what its steps mean.

import type { Attempt } from './attempt.ts';
import { again, type Ending, failed, stopped } from './ending.ts';
import type {
  GuestFailure,
  GuestProgram,
  GuestRun,
  GuestStep,
  GuestTask,
  GuestValue,
} from './guest.ts';
import type { Host } from './host.ts';
import { doneBytes, doneResult } from './messages.ts';
import type { Steps } from './steps.ts';

export interface GuestStepsSettings {
  readonly host: Host;
  readonly resultLimitBytes: number;
  readonly stateLimitBytes: number;
  readonly now: () => number;
  /** What runs the guest is broken: ends the process, or the thread. */
  readonly giveUp: (why: string) => never;
}

/** The bounds that `thrown.ts` has for errors of JavaScript. */
const textLimit = 4000;
const namePattern = /^[A-Za-z_$][\w$.]{0,99}$/;

export class GuestSteps implements Steps {
  readonly #attempt: Attempt;
  readonly #settings: GuestStepsSettings;
  readonly #run: GuestRun;

  constructor(program: GuestProgram, attempt: Attempt, settings: GuestStepsSettings) {
    this.#attempt = attempt;
    this.#settings = settings;
    const { taskId, jobId, index, attempt: count, input, stateJson } = attempt.handed;
    const task: GuestTask = {
      taskId,
      jobId,
      index,
      attempt: count,
      input: typeof input === 'string' ? { json: input } : { bytes: input },
      stateJson,
      resultLimitBytes: settings.resultLimitBytes,
      stateLimitBytes: settings.stateLimitBytes,
      isStopped: () => attempt.isStopped(),
      isCheckpointDue: () => attempt.isCheckpointDue(),
      offer: (text) => {
        attempt.offerText(text);
      },
      report: (share, message) => {
        attempt.report(share, message, settings.now());
      },
      print: (text) => {
        attempt.print(text);
      },
    };
    this.#run = begun(program, task);
  }

  step(sliceEnd: number): Ending | null {
    return this.#endingOf(this.#step(sliceEnd));
  }

  /** It throws nothing: if it does, nobody knows what state it is in. */
  #step(sliceEnd: number): GuestStep {
    try {
      return this.#run.step(Math.max(1, sliceEnd - this.#settings.now()));
    } catch (error) {
      return brokenBy(error);
    }
  }

  #endingOf(step: GuestStep): Ending | null {
    switch (step.type) {
      case 'more':
        return null;
      case 'result':
        return this.#result(step.value);
      case 'failure':
        return failure(step);
      case 'stopped':
        // Nobody has asked it to: the agent would not know what that means.
        return this.#attempt.isStopped()
          ? stopped
          : this.#settings.giveUp('a guest stopped by itself');
      case 'again':
        return this.#again();
      case 'broken':
        return this.#settings.giveUp(`what runs the program is broken: ${step.why}`);
    }
  }

  #result(value: GuestValue): Ending {
    const { resultLimitBytes: limit, host } = this.#settings;
    const bytes = 'bytes' in value ? value.bytes.byteLength : host.byteLength(value.json);
    if (bytes > limit) {
      return failed(
        'result_too_large',
        `the result has ${bytes} bytes, the limit is ${limit}`,
        true,
      );
    }
    if ('json' in value) return { kind: doneResult, text: value.json };
    // Of a buffer of its own: of another, all would be sent.
    return { kind: doneBytes, text: value.bytes.slice() };
  }

  #again(): Ending {
    if (this.#attempt.isStopped()) return stopped;
    if (this.#attempt.saveOffered()) return again;
    return failed(
      'exit_code',
      'the program asked to be run again, and left no state to go on from',
    );
  }
}

function failure({ errorType, message, isRetryable, stack }: GuestFailure): Ending {
  const type = namePattern.test(errorType) ? errorType : 'Error';
  const text = message.length > textLimit ? `${message.slice(0, textLimit - 1)}…` : message;
  return failed(type, text, !isRetryable, stack.slice(0, textLimit));
}

/** The same for its beginning. */
function begun(program: GuestProgram, task: GuestTask): GuestRun {
  try {
    return program.begin(task);
  } catch (error) {
    return { step: () => brokenBy(error) };
  }
}

function brokenBy(error: unknown): GuestStep {
  return {
    type: 'broken',
    why: `it threw ${error instanceof Error ? error.message : 'something'}`,
  };
}

// The attempts of one program, one after the other, in its interpreter: what the interpreter asks of the host goes to
// the attempt that runs, and to nobody between two of them.

import { CapturedOutput } from '../sandbox/captured-output.ts';
import type { GuestProgram, GuestRun, GuestStep, GuestTask } from '../sandbox/guest.ts';
import { nativeText } from './engine-parts.ts';
import type { Interpreter, InterpreterPorts, Said } from './interpreter.ts';
import { Interruption } from './interruption.ts';
import { RandomBytes } from './random-bytes.ts';
import { checkedJson, readFailure, sizeFault } from './said-values.ts';
import { TaskClock } from './task-clock.ts';

/** Of what a program prints while it is loaded, before it has a task. */
const earlyOutputCharacters = 65_536;

export class ProgramRuns implements GuestProgram {
  readonly clock: TaskClock;
  readonly ports: InterpreterPorts;
  readonly #interruption: Interruption;
  readonly #random = new RandomBytes();
  readonly #early = new CapturedOutput(earlyOutputCharacters);
  #decoder = new nativeText.Decoder();
  #interpreter: Interpreter | null = null;
  #task: GuestTask | null = null;
  /** The bytes that the step gave as a result. */
  #given: Uint8Array<ArrayBuffer> | null = null;

  constructor(now: () => number) {
    this.clock = new TaskClock(now);
    this.#interruption = new Interruption(now);
    this.ports = this.#makePorts();
  }

  readonly fill = (bytes: Uint8Array): void => {
    this.#random.drawInto(bytes);
  };

  restartRandom(seed: string): void {
    this.#random.restart(seed);
    this.clock.restart();
  }

  /** The program is loaded. */
  serve(interpreter: Interpreter): void {
    this.#interpreter = interpreter;
    this.#interruption.idle();
  }

  begin(task: GuestTask): GuestRun {
    let hasBegun = false;
    return {
      step: (sliceMs) => {
        const interpreter = this.#interpreter;
        if (interpreter === null) return { type: 'broken', why: 'the program is not here' };
        this.#enter(task);
        if (!hasBegun) this.#startOver(task);
        const said = hasBegun ? interpreter.step(sliceMs) : interpreter.begin(task, sliceMs);
        hasBegun = true;
        const step = this.#stepOf(said, task);
        this.#task = null;
        this.#interruption.idle();
        return step;
      },
    };
  }

  forget(): void {
    this.#interpreter = null;
  }

  #enter(task: GuestTask): void {
    this.#task = task;
    this.#given = null;
    this.#interruption.enter(task.isStopped);
  }

  #startOver(task: GuestTask): void {
    this.#interruption.restart();
    this.restartRandom(task.taskId);
    this.#decoder = new nativeText.Decoder();
    if (!this.#early.isEmpty) task.print(this.#early.take());
  }

  #stepOf(said: Said, task: GuestTask): GuestStep {
    if (said.type === 'broken') return said;
    if (said.type === 'interrupted') return interrupted(task);
    const { text } = said;
    if (text === 'more' || text === 'stopped') return { type: text };
    if (text === 'bytes') return this.#bytesResult(task);
    if (text.startsWith('result')) return jsonResult(text.slice('result'.length), task);
    if (text.startsWith('failure')) return readFailure(text.slice('failure'.length));
    return { type: 'broken', why: 'the interpreter said something that is no outcome' };
  }

  #bytesResult(task: GuestTask): GuestStep {
    const bytes = this.#given;
    this.#given = null;
    if (bytes === null) return { type: 'broken', why: 'the interpreter gave no bytes' };
    const fault = sizeFault(bytes.length, task.resultLimitBytes, 'bytes');
    return fault ?? { type: 'result', value: { bytes } };
  }

  #makePorts(): InterpreterPorts {
    return {
      isStopped: () => this.#task?.isStopped() ?? true,
      isDue: () => this.#task?.isCheckpointDue() ?? false,
      offer: (stateJson) => this.#offer(stateJson),
      report: (share, message) => this.#task?.report(share, message),
      givesWay: () => this.#interruption.giveGrace(),
      entropy: () => this.#random.state(),
      setEntropy: (stateJson) => this.#random.resume(stateJson),
      give: (bytes) => {
        this.#given = bytes;
      },
      print: (bytes) => this.#print(this.#decoder.decode(bytes, { stream: true })),
      isInterrupted: () => this.#interruption.isDue(),
    };
  }

  /** A state that cannot be kept is left out: the task goes on, and has its output to say so. */
  #offer(stateJson: string): void {
    const task = this.#task;
    if (task === null) return;
    const checked = checkedJson(stateJson, task.stateLimitBytes, 'state');
    if (checked.type === 'json') task.offer(checked.text);
    else task.print(`a checkpoint was not saved: ${checked.message}\n`);
  }

  #print(text: string): void {
    if (this.#task !== null) this.#task.print(text);
    else this.#early.add(text);
  }
}

/** It was not code of the program that the interruption met. */
function interrupted(task: GuestTask): GuestStep {
  if (task.isStopped()) return { type: 'stopped' };
  return { type: 'broken', why: 'the interpreter was interrupted for no reason' };
}

function jsonResult(json: string, task: GuestTask): GuestStep {
  const checked = checkedJson(json, task.resultLimitBytes, 'result');
  if (checked.type === 'json') return { type: 'result', value: { json: checked.text } };
  return { ...checked, type: 'failure', stack: '', isRetryable: false };
}

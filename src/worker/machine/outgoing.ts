// Gathers the outputs of one step, and all its messages into one frame.

import { RawJson } from '../../protocol/codec.ts';
import type {
  AttemptRef,
  ByeMessage,
  CheckpointReport,
  FailureReport,
  HeartbeatMessage,
  HelloMessage,
  OutputReport,
  ProgressMessage,
  RefusalMessage,
  ReleaseReport,
  ResultReport,
  WorkerMessage,
} from '../../protocol/messages.ts';
import type { AttemptKey, PackedState } from '../executor.ts';
import type { LocalAttempt, Report } from './local-attempt.ts';
import { attemptRef } from './local-attempt.ts';
import type { LocalCheckpoint } from './checkpoints.ts';
import type { KeptReport, LogLevel, MachineOutput } from './port.ts';

export class Outgoing {
  #isWelcome = false;
  readonly #frameCharacters: number;
  #outputs: MachineOutput[] = [];
  #frames: MachineOutput[] = [];
  #characters = 0;
  #started: AttemptRef[] = [];
  #progress: ProgressMessage['progress'][number][] = [];
  #printed: OutputReport[] = [];
  #checkpoints: CheckpointReport[] = [];
  #results: ResultReport[] = [];
  #failures: FailureReport[] = [];
  #refusals: RefusalMessage['refusals'][number][] = [];
  #releases: ReleaseReport[] = [];
  #closing: WorkerMessage[] = [];
  /** Attempts that `hello` named and that were given back before `welcome`: released after it. */
  #owed: AttemptRef[] = [];
  #kept: KeptReport[] = [];
  #letGoKeys: AttemptKey[] = [];

  constructor(frameCharacters: number) {
    this.#frameCharacters = frameCharacters;
  }

  /** True from `welcome` to the end of the connection. Reports are sent only then. */
  get isOpen(): boolean {
    return this.#isWelcome;
  }

  /**
   * `hello` names exactly what is held: attempts given back before it need no `release`. `owed`: others that it names.
   */
  greet(owed: readonly AttemptRef[]): void {
    this.#owed = [...owed];
  }

  open(): void {
    this.#isWelcome = true;
    this.#releases.push(...this.#owed);
    this.#owed = [];
  }

  push(output: MachineOutput): void {
    this.#outputs.push(output);
  }

  keep(report: KeptReport): void {
    this.#kept.push(report);
  }

  letGo(key: AttemptKey): void {
    this.#letGoKeys.push(key);
  }

  log(level: LogLevel, event: string, detail: string): void {
    this.#outputs.push({ type: 'log', level, event, detail });
  }

  /** A message that is not about one attempt: it comes after all reports of the step. */
  message(message: HelloMessage | HeartbeatMessage | ByeMessage): void {
    this.#closing.push(message);
  }

  /** What was said by now is a frame of its own: it comes before all reports that follow. */
  cut(): void {
    this.#frames.push({ type: 'send', messages: [...this.#takeMessages(), ...this.#closing] });
    this.#closing = [];
  }

  /** Does nothing while closed; the outbox keeps the report. */
  report(report: Report): void {
    if (!this.#isWelcome) return;
    if (report.kind === 'result') {
      this.#results.push(report.entry);
      this.#grow(report.characters + 160);
    } else if (report.kind === 'failure') {
      this.#failures.push(report.entry);
      const { error_message: message, error_stack: stack = '', output = '' } = report.entry;
      this.#grow(message.length + stack.length + output.length + 200);
    } else {
      this.#refusals.push(report.entry);
      this.#grow(200);
    }
  }

  start(attempt: LocalAttempt): void {
    if (this.#isWelcome) this.#started.push(attemptRef(attempt));
  }

  release(attempt: LocalAttempt): void {
    if (this.#isWelcome) {
      this.#releases.push(attemptRef(attempt));
      this.#grow(120);
    } else this.#owed.push(attemptRef(attempt));
  }

  /**
   * Releases an assignment whose program is missing. There is a connection: it has just come over
   * it.
   */
  lack({ task_id, attempt, token }: AttemptRef, lacks: string): void {
    this.#releases.push({ task_id, attempt, token, lacks });
    this.#grow(200);
  }

  progressOf(attempt: LocalAttempt): void {
    if (!this.#isWelcome || attempt.progress === null) return;
    const { progress, progressMessage: message } = attempt;
    const ref = attemptRef(attempt);
    this.#progress.push(message === null ? { ...ref, progress } : { ...ref, progress, message });
    this.#grow((message?.length ?? 0) + 160);
  }

  output(attempt: LocalAttempt, text: string, leftOut: number): void {
    if (!this.#isWelcome) return;
    const entry = { ...attemptRef(attempt), text };
    this.#printed.push(leftOut === 0 ? entry : { ...entry, left_out: leftOut });
    this.#grow(text.length + 160);
  }

  checkpoint(attempt: LocalAttempt, checkpoint: LocalCheckpoint): void {
    if (!this.#isWelcome) return;
    const { sequence, progress, state, runMs } = checkpoint;
    const about = { ...attemptRef(attempt), sequence, progress, run_ms: Math.round(runMs) };
    this.#checkpoints.push({ ...about, ...stateFields(state) });
    const characters = state.encoding === 'json' ? state.text.length : 0;
    this.#grow((state.encoding === 'gzip' ? state.base64.length : characters) + 400);
  }

  /** The connection is gone: the messages of this step are dropped. */
  close(): void {
    this.#isWelcome = false;
    this.#takeMessages();
    this.#closing = [];
    this.#owed = [];
    this.#frames = [];
  }

  /**
   * What must be kept is kept before it is sent. Then frames come first: a `disconnect` of the same step must not
   * overtake its messages.
   */
  finish(): MachineOutput[] {
    const messages = this.#takeMessages();
    for (const message of this.#closing) messages.push(message);
    this.#closing = [];
    if (messages.length > 0) this.#frames.push({ type: 'send', messages });
    const isPlain = this.#frames.length + this.#kept.length + this.#letGoKeys.length === 0;
    const outputs = isPlain ? this.#outputs : [...this.#memos(), ...this.#frames, ...this.#outputs];
    this.#outputs = [];
    this.#frames = [];
    return outputs;
  }

  #memos(): MachineOutput[] {
    const memos: MachineOutput[] = [];
    if (this.#kept.length > 0) memos.push({ type: 'keep', reports: this.#kept });
    if (this.#letGoKeys.length > 0) memos.push({ type: 'let_go', keys: this.#letGoKeys });
    this.#kept = [];
    this.#letGoKeys = [];
    return memos;
  }

  #grow(characters: number): void {
    this.#characters += characters;
    if (this.#characters < this.#frameCharacters) return;
    this.#frames.push({ type: 'send', messages: this.#takeMessages() });
  }

  #takeMessages(): WorkerMessage[] {
    const messages: WorkerMessage[] = [];
    this.#characters = 0;
    if (this.#started.length > 0) {
      messages.push({ type: 'started', started: this.#started });
      this.#started = [];
    }
    if (this.#progress.length > 0) {
      messages.push({ type: 'progress', progress: this.#progress });
      this.#progress = [];
    }
    if (this.#printed.length > 0) {
      messages.push({ type: 'output', outputs: this.#printed });
      this.#printed = [];
    }
    if (this.#checkpoints.length > 0) {
      messages.push({ type: 'checkpoint', checkpoints: this.#checkpoints });
      this.#checkpoints = [];
    }
    if (this.#results.length > 0) {
      messages.push({ type: 'result', results: this.#results });
      this.#results = [];
    }
    if (this.#failures.length > 0) {
      messages.push({ type: 'failure', failures: this.#failures });
      this.#failures = [];
    }
    if (this.#refusals.length > 0) {
      messages.push({ type: 'refusal', refusals: this.#refusals });
      this.#refusals = [];
    }
    if (this.#releases.length > 0) {
      messages.push({ type: 'release', releases: this.#releases });
      this.#releases = [];
    }
    return messages;
  }
}

type StateFields = Omit<CheckpointReport, keyof AttemptRef | 'sequence' | 'progress' | 'run_ms'>;

function stateFields(state: PackedState): StateFields {
  if (state.encoding === 'json') return { state: new RawJson(state.text) };
  const { sha256, sizeBytes: size_bytes } = state.whole;
  return state.encoding === 'gzip'
    ? { state_gzip: state.base64, sha256, size_bytes }
    : { state_blob: state.blobSha256, sha256, size_bytes };
}

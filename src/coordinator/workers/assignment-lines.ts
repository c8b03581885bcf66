// Assignments on their way to workers: in a line per connection, what they need is read, and whatever is posted later on
// the same connection is sent after them. One frame, or several when inputs and states are large.

import type { Assignment, JobDescription } from '../../protocol/messages.ts';
import type { JobPayload } from '../../store/rows.ts';
import type { Needing } from './needing.ts';
import { type Equipped, type Outfitter, PortionSize, portions } from './outfitter.ts';
import { charactersOf, type SentProgram } from './programs.ts';
import { failedAtFrame, type FramePlace, type Session } from './sessions.ts';

/** A frame ends when its payloads reach this; a single payload may be larger. */
const usualFrameCharacters = 1024 * 1024;

/** How an attempt is told to its worker. */
export interface Wording<A extends Needing> {
  jobIdOf(attempt: A): string;
  assignmentOf(outfit: Equipped<A>): Assignment;
  /** `program` is null when the worker does not lack it. */
  describe(outfit: Equipped<A>, program: SentProgram | null): JobDescription;
  /** It goes out in this frame. */
  numbered(attempt: A, sequence: number): void;
}

export interface LineOptions<A extends Needing> {
  readonly outfitter: Outfitter<A>;
  readonly wording: Wording<A>;
  /** It has not ended since it was assigned, as far as is known here. */
  readonly isLive: (attempt: A) => boolean;
  /** Runs it soon, after what is running now. */
  readonly defer: (fn: () => void) => void;
  /** Called when something that the attempt needs cannot be read. */
  readonly onUnreadable: (session: Session, attempt: A, problem: string) => void;
  readonly onError: (error: Error) => void;
  /** For tests: a frame ends when its payloads reach it. */
  readonly frameCharacters?: number | undefined;
}

export class AssignmentLines<A extends Needing> {
  private readonly options: LineOptions<A>;
  /** The newest assignments that are being prepared for a connection: the next ones wait for them. */
  private readonly tails = new WeakMap<Session, Promise<void>>();

  constructor(options: LineOptions<A>) {
    this.options = options;
  }

  /**
   * Prepares and posts assignments after earlier ones; what is posted from now on is sent after them. Ends when they
   * are posted: the session is not flushed for the last of them. `posted` is called right then, before the next.
   */
  enqueue(
    session: Session,
    attempts: readonly A[],
    payloads: readonly JobPayload[] = [],
    posted: () => void = () => undefined,
  ): Promise<void> {
    const place = session.reserve();
    const send = async () => {
      try {
        await this.send(session, place, attempts, payloads);
      } catch (error) {
        // The attempts are assigned and not sent: on its next connection the worker does not name them.
        this.options.onError(error as Error);
        session.end(failedAtFrame);
      }
      place.close();
      posted();
    };
    const before = this.tails.get(session);
    const tail = before === undefined ? send() : before.then(send);
    this.tails.set(session, tail);
    return tail.then(() => {
      if (this.tails.get(session) === tail) this.tails.delete(session);
    });
  }

  private async send(
    session: Session,
    place: FramePlace,
    attempts: readonly A[],
    payloads: readonly JobPayload[],
  ): Promise<void> {
    const { outfitter, wording, isLive, onUnreadable, defer } = this.options;
    const { frameCharacters = usualFrameCharacters } = this.options;
    const size = new PortionSize();
    let frame = new AssignFrame(session, place, wording);
    for (const part of portions(attempts, size)) {
      // Nobody would be sent it.
      if (!session.isOpen) return;
      const wanted = part.filter(isLive);
      for (const outfit of await outfitter.outfit(wanted, payloads)) {
        const { attempt } = outfit;
        const isLacking = outfit.problem === null && frame.lacksProgramOf(outfit);
        const program = isLacking ? await outfitter.readProgram(attempt.task.job) : null;
        // The attempt may have ended while something was read.
        if (!isLive(attempt)) continue;
        if (outfit.problem !== null) {
          onUnreadable(session, attempt, outfit.problem);
          continue;
        }
        if (typeof program === 'string') {
          onUnreadable(session, attempt, program);
          continue;
        }
        frame.add(outfit, program);
        size.note(outfit.input.text.length);
        if (frame.characters < frameCharacters) continue;
        frame.post();
        session.flush();
        // What the worker has not read yet is kept in memory, up to a limit that ends the connection.
        await session.caughtUp();
        // A frame of this size is some milliseconds of work.
        await new Promise<void>((resolve) => defer(resolve));
        frame = new AssignFrame(session, place, wording);
      }
    }
    frame.post();
  }
}

/** The assignments of one frame, while they are collected. */
export class AssignFrame<A extends Needing> {
  characters = 0;
  private readonly session: Session;
  private readonly place: Pick<FramePlace, 'add'>;
  private readonly wording: Wording<A>;
  private readonly sequence: number;
  private readonly programs: Record<string, JobDescription> = {};
  private readonly assignments: Assignment[] = [];

  constructor(session: Session, place: Pick<FramePlace, 'add'>, wording: Wording<A>) {
    this.session = session;
    this.place = place;
    this.wording = wording;
    this.sequence = session.assignSequence + 1;
  }

  /** Whether neither the frame nor the worker has the program. */
  lacksProgramOf({ attempt, programSha256 }: Equipped<A>): boolean {
    const isDescribed = this.programs[this.wording.jobIdOf(attempt)] !== undefined;
    return !isDescribed && !this.session.hasProgram(programSha256);
  }

  /** `program` is null when the worker does not lack it. */
  add(outfit: Equipped<A>, program: SentProgram | null): void {
    const { attempt, input, checkpoint } = outfit;
    if (this.programs[this.wording.jobIdOf(attempt)] === undefined) this.describe(outfit, program);
    this.wording.numbered(attempt, this.sequence);
    this.assignments.push(this.wording.assignmentOf(outfit));
    this.characters += input.text.length + (checkpoint?.state.text.length ?? 0);
  }

  post(): void {
    const { session, sequence, programs, assignments } = this;
    if (assignments.length === 0) return;
    session.assignSequence = sequence;
    this.place.add({ type: 'assign', sequence, programs, assignments });
  }

  /** Adds the part that belongs to the job. The worker counts uses of programs in the order of these calls. */
  private describe(outfit: Equipped<A>, program: SentProgram | null): void {
    this.programs[this.wording.jobIdOf(outfit.attempt)] = this.wording.describe(outfit, program);
    const characters = program === null ? null : charactersOf(program);
    this.session.useProgram(outfit.programSha256, characters);
    this.characters += characters ?? 0;
  }
}

// Which jobs are read again because something happened to them. No answer takes back what a later one has told: a job
// is asked for once at a time, and what is on its way while it changes is asked for once more.

export interface JobSource<Head> {
  /** Null: it is not there any more. */
  readonly one: (id: string) => Promise<Head | null>;
  readonly newest: () => Promise<readonly Head[]>;
  readonly isKnown: (id: string) => boolean;
  readonly keep: (heads: readonly Head[]) => void;
  readonly drop: (id: string) => void;
  /** It may go well later. */
  readonly isPassing: (error: unknown) => boolean;
}

interface Flight {
  /** A list that was asked for later has come before it. */
  isOutdone: boolean;
}

const soonMs = 300;
const failedAgainMs = 5_000;
const mostAtOnce = 4;
/** When more jobs have changed at once, the whole list costs less. */
const mostSingle = 40;

export class JobReads<Head extends { readonly id: string }> {
  readonly #source: JobSource<Head>;
  /** Changed since the last turn. */
  readonly #changed = new Set<string>();
  /** To be asked for in this turn. */
  readonly #due = new Set<string>();
  readonly #flights = new Map<string, Flight>();
  /** The list that is on its way. */
  #list: Flight | null = null;
  #isTurnDue = false;
  /** Grows when nothing of before counts. */
  #time = 0;

  constructor(source: JobSource<Head>) {
    this.#source = source;
  }

  note(id: string): void {
    this.#changed.add(id);
    this.#soon();
  }

  /** An answer that is on its way may have it still. */
  noteDeleted(id: string): void {
    this.#due.delete(id);
    if (this.#list !== null || this.#flights.has(id)) return this.note(id);
    this.#changed.delete(id);
  }

  /** A list came that was asked for after every change so far; what changed while it came is noted again. */
  noteList(heads: readonly Head[]): void {
    if (this.#list !== null) this.#list.isOutdone = true;
    for (const { id } of heads) {
      const flight = this.#flights.get(id);
      if (flight !== undefined) flight.isOutdone = true;
    }
  }

  /** All is asked for by other means. */
  clear(): void {
    this.#changed.clear();
    this.#due.clear();
  }

  /** Nothing of before counts, nor what is on its way. */
  forget(): void {
    this.#time++;
    this.clear();
  }

  #soon(): void {
    if (this.#changed.size === 0 || this.#list !== null || this.#isTurnDue) return;
    this.#isTurnDue = true;
    setTimeout(() => this.#turn(), soonMs);
  }

  #turn(): void {
    this.#isTurnDue = false;
    if (this.#list !== null) return;
    for (const id of this.#changed) this.#due.add(id);
    this.#changed.clear();
    if (this.#due.size > mostSingle) void this.#readList();
    else this.#fly();
  }

  #fly(): void {
    for (const id of this.#due) {
      if (this.#list !== null || this.#flights.size >= mostAtOnce) return;
      if (this.#flights.has(id)) continue;
      this.#due.delete(id);
      void this.#read(id);
    }
  }

  async #read(id: string): Promise<void> {
    const { one, keep, drop } = this.#source;
    const [flight, time] = [{ isOutdone: false }, this.#time];
    this.#flights.set(id, flight);
    try {
      const head = await one(id);
      if (time === this.#time && !flight.isOutdone) {
        if (head === null) drop(id);
        else keep([head]);
      }
    } catch (error) {
      this.#noteLater([id], error);
    }
    this.#flights.delete(id);
    this.#fly();
  }

  /** Of those that are not among the newest only what is known is asked for again. */
  async #readList(): Promise<void> {
    const { newest, keep, isKnown } = this.#source;
    const [asked, flight, time] = [new Set(this.#due), { isOutdone: false }, this.#time];
    this.#due.clear();
    this.#list = flight;
    try {
      const heads = await newest();
      if (time === this.#time && !flight.isOutdone) {
        this.noteList(heads);
        keep(heads);
        for (const { id } of heads) asked.delete(id);
        for (const id of asked) if (isKnown(id)) this.#due.add(id);
      }
    } catch (error) {
      this.#noteLater(asked, error);
    }
    this.#list = null;
    this.#fly();
    this.#soon();
  }

  #noteLater(ids: Iterable<string>, error: unknown): void {
    if (!this.#source.isPassing(error)) return;
    const time = this.#time;
    setTimeout(() => {
      if (time === this.#time) for (const id of ids) this.note(id);
    }, failedAgainMs);
  }
}

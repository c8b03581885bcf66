// A coordinator among others on one database: looks where the log of commits ends, says that it is there, and takes
// over when it is told to.

import type { OutfitReading, Reading } from '../reading.ts';
import type {
  ClusterLook,
  CoordinatorRow,
  LogPosition,
  MemberStaging,
  Membership,
  TakenOver,
} from '../membership.ts';
import { StoreFault } from '../store.ts';
import { databaseNow } from './driver/database-now.ts';
import { asFault } from './driver/faults.ts';
import type { Reader } from './driver/reader.ts';
import type { Client } from 'pg';
import type { Address } from './driver/address.ts';
import { connect, run } from './driver/session.ts';
import { within } from './driver/silence.ts';
import type { Row, Statement } from './driver/statement.ts';
import { type LogEntry, entryAt, toEntry } from './log/log-entry.ts';
import { takeOverFrom } from './log/take-over.ts';
import { refuseHalf } from './migrations/half-schema.ts';
import { refuseNewer } from './migrations/migrate.ts';
import { PostgresBlobs } from './blobs.ts';
import { PostgresInputStaging } from './input-staging.ts';
import { makePostgresReading } from './postgres-reading.ts';

/** A look that takes longer says nothing about the log. */
const lookMs = 3_000;
const forgottenMs = 3_600_000;
/** Who lives says so every second. */
const silentMs = 5_000;
const recentMs = 60_000;

const lookText = `select commits.sequence, commits.term, terms.epoch, terms.since, terms.ended, terms.coordinator, terms.url,
    (select count(*) from terms where abs(since - ${databaseNow}) < ${recentMs}), ${databaseNow}, pg_is_in_recovery(),
    exists (select 1 from tokens where kind = 'admin' and revoked_at is null),
    (select count(*) from terms where ended = 'lonely' and abs(since - ${databaseNow}) < ${forgottenMs})
  from (select sequence, term from commits order by sequence desc limit 1) as commits
    left join terms on terms.term = commits.term`;
const membersText = `select id, url, version, may_lead, workers, seen_at from coordinators order by id`;
const seenText = `insert into coordinators (id, url, version, may_lead, workers, seen_at)
    values ($1, $2, $3, $4, $5, ${databaseNow})
  on conflict (id) do update set workers = excluded.workers, seen_at = excluded.seen_at`;
const leaveText = `delete from coordinators where id = $1`;
/** Also what this one was before it was started anew. */
const forgetText = `delete from coordinators where seen_at < ${databaseNow} - ${forgottenMs}
  or (url = $1 and abs(seen_at - ${databaseNow}) > ${silentMs})`;

export interface MembershipParts {
  readonly address: Address;
  /** The same for whoever leads, which is not waited for as long when it leaves. */
  readonly leading: Address;
  readonly reader: Reader;
  /** For what is read in bulk: whoever asks for tokens does not wait behind it. */
  readonly outfitReader: Reader;
  readonly secret: string;
  /** Begins to work behind the row by which this one has taken over; the connection is the log's from then on. */
  readonly begin: (client: Client, newest: LogEntry, member: string) => Omit<TakenOver, 'term'>;
  readonly newMember: () => string;
}

export class PostgresMembership implements Membership {
  readonly secret: string;
  readonly reading: Reading;
  readonly outfitting: OutfitReading;
  readonly #parts: MembershipParts;
  /** Of the looks; made anew after it broke. */
  #client: Promise<Client> | undefined;
  /** One after the other: a write is a transaction of the connection. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: MembershipParts) {
    this.#parts = parts;
    this.secret = parts.secret;
    this.reading = makePostgresReading(parts.reader);
    this.outfitting = makePostgresReading(parts.outfitReader);
  }

  stagingOf(id: string): MemberStaging {
    const { reader } = this.#parts;
    const blobs = new PostgresBlobs(reader, id);
    const inputs = new PostgresInputStaging(reader, id);
    return {
      member: id,
      beginBlob: () => blobs.beginBlob(),
      stageInputs: (...given) => inputs.stageInputs(...given),
      dropStaged: (jobKey) => inputs.dropStaged(jobKey),
    };
  }

  async look(): Promise<ClusterLook> {
    const [[row], members] = await this.#ask((client) =>
      Promise.all([run(client, lookText), run(client, membersText)]),
    );
    if (row === undefined) throw this.#fault(new Error('its log of commits is empty'));
    if (row[9] === true) throw this.#fault(new Error('it follows another server'));
    return toLook(row, members);
  }

  async beSeen({
    id,
    url,
    version,
    mayLead,
    workers,
  }: Omit<CoordinatorRow, 'seenAt'>): Promise<void> {
    await this.#write([
      { text: seenText, values: [id, url, version, mayLead, workers] },
      { text: forgetText, values: [url] },
    ]);
  }

  async leave(id: string): Promise<void> {
    await this.#write([{ text: leaveText, values: [id] }]).catch(() => undefined);
  }

  async takeOver(from: LogPosition, self: Pick<CoordinatorRow, 'id' | 'url'>): Promise<TakenOver> {
    const { leading: address, begin, newMember } = this.#parts;
    const member = newMember();
    try {
      const client = await connect(address);
      try {
        const [row] = await run(client, entryAt, [from.sequence, from.term]);
        if (row === undefined) throw movedOn(address.shown);
        // Behind the look: a move that begins now moves the log on.
        await refuseHalf(client, address);
        await refuseNewer(client, address);
        const entry = await takeOverFrom(
          client,
          address,
          { member, coordinator: self },
          toEntry(row),
        );
        return { ...begin(client, entry, member), term: entry.term };
      } catch (error) {
        void client.end().catch(() => undefined);
        throw error;
      }
    } catch (error) {
      throw this.#fault(error);
    }
  }

  async close(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    const { reader, outfitReader } = this.#parts;
    const ended = client?.end().catch(() => undefined);
    await Promise.all([ended, reader.close(), outfitReader.close()]);
  }

  async #write(statements: readonly Statement[]): Promise<void> {
    await this.#ask(async (client) => {
      await client.query('begin read write');
      // What somebody else's seconds are worth is not worth a wait for the disk.
      await client.query('set local synchronous_commit to off');
      for (const { text, values } of statements) await run(client, text, values);
      await client.query('commit');
    });
  }

  #ask<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const done = this.#turn.then(() => this.#attempt(work));
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async #attempt<T>(work: (client: Client) => Promise<T>): Promise<T> {
    this.#client ??= connect(this.#parts.address);
    const opening = this.#client;
    try {
      const client = await opening;
      return await within(lookMs, client, () => work(client));
    } catch (error) {
      this.#client = undefined;
      void opening.then((client) => client.end()).catch(() => undefined);
      throw this.#fault(error);
    }
  }

  #fault(error: unknown): unknown {
    return asFault(error, this.#parts.address.shown, 'read');
  }
}

function toLook(row: Row, members: readonly Row[]): ClusterLook {
  const [sequence, term, epoch, since, ended, coordinator, url, recentTerms, at] = row;
  const process = { id: coordinator as string, url: url as string };
  return {
    position: {
      sequence: sequence as number,
      term: term as string,
      isOver: epoch === null || ended !== null,
    },
    term: {
      id: term as string,
      epoch: (epoch as number | null) ?? 0,
      since: since as number | null,
      ended: ended as string | null,
      coordinator: coordinator === null ? null : process,
    },
    recentTerms: recentTerms as number,
    coordinators: members.map((member) => ({
      id: member[0] as string,
      url: member[1] as string,
      version: member[2] as string,
      mayLead: member[3] as boolean,
      workers: member[4] as number,
      seenAt: member[5] as number,
    })),
    at: at as number,
    needsTokens: row[10] as boolean,
    lonelyTerms: row[11] as number,
  };
}

function movedOn(shown: string): StoreFault {
  return new StoreFault('store_locked', `The database ${shown} is no longer where it was seen.`);
}

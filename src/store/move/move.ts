// Moves a whole database: copies what can be seen, table by table, then compares both sides. Killed at any moment, it
// goes on where it was: how far it has come stands in the target.

import { hash } from 'node:crypto';
import { StoreFault } from '../store.ts';
import { type ComparedTable, compare } from './compare.ts';
import { movedTables } from './moved-tables.ts';
import { pagesOf } from './pages.ts';
import type { Bounds, Half, MoveSide, MoveSource, MoveTarget, Page } from './sides.ts';

export interface MoveProgress {
  readonly phase: 'looking' | 'copying' | 'comparing';
  /** Null while the source is looked through. */
  readonly table: string | null;
  /** From 0 on. */
  readonly place: number;
  readonly tables: number;
  /** Rows of all tables in this phase and this run; while looking: values. */
  readonly rows: number;
}

export interface MoveReport {
  readonly rows: number;
  readonly bytes: number;
  /** Rows that were there already. */
  readonly resumedRows: number;
  readonly isResumed: boolean;
  readonly copyMs: number;
  readonly compareMs: number;
  readonly tables: readonly ComparedTable[];
}

export interface MoveOptions {
  /** Hears of every batch. When it throws, the move ends, and can go on later. */
  readonly tell?: (progress: MoveProgress) => void;
  readonly bounds?: Bounds;
}

const usual: Bounds = { rows: 4_000, bytes: 4 * 1024 * 1024 };

/** Throws `StoreFault`. */
export async function move(
  source: MoveSource,
  target: MoveTarget,
  { tell = () => undefined, bounds = usual }: MoveOptions = {},
): Promise<MoveReport> {
  const facts = await source.readFacts();
  const mark = hash('sha256', JSON.stringify(facts));
  const found = await target.readHalf();
  if (found !== undefined) refuseOther(found, { from: source.address, mark }, target);
  let half: Half = found ?? {
    from: source.address,
    mark,
    table: movedTables[0]!.name,
    after: null,
    rows: 0,
    bytes: 0,
  };
  if (found === undefined) {
    await refuseDamage(source, tell);
    await target.begin(half, facts);
  }
  const resumedRows = half.rows;
  const startedAt = performance.now();
  half = await copy(source, target, half, { tell, bounds });
  const copiedAt = performance.now();
  const tables = await compareAll(source, target, { tell, bounds });
  await source.confirm();
  await target.finish();
  return {
    rows: half.rows,
    bytes: half.bytes,
    resumedRows,
    isResumed: found !== undefined,
    copyMs: copiedAt - startedAt,
    compareMs: performance.now() - copiedAt,
    tables,
  };
}

function refuseOther(
  found: Half,
  { from, mark }: Pick<Half, 'from' | 'mark'>,
  { address }: MoveSide,
): void {
  if (found.from !== from) {
    throw new StoreFault(
      'store_occupied',
      `${address} holds a part of what is moved there from ${found.from}, not from ${from}. Go on with that, or choose ` +
        'another place.',
    );
  }
  if (found.mark !== mark) throw changed(from, address);
}

function changed(from: string, to: string): StoreFault {
  return new StoreFault(
    'store_occupied',
    `${from} has changed since its move to ${to} began: a coordinator has worked on it. Remove what is at ${to}, and ` +
      'begin anew.',
  );
}

async function refuseDamage(
  source: MoveSource,
  tell: (progress: MoveProgress) => void,
): Promise<void> {
  const place = { phase: 'looking', table: null, place: 0, tables: movedTables.length } as const;
  const sentences = await source.findDamage((rows) => tell({ ...place, rows }));
  if (sentences.length === 0) return;
  const more = sentences.length > 3 ? ` And ${sentences.length - 3} more.` : '';
  throw new StoreFault(
    'value_damaged',
    `${source.address} is damaged; nothing was moved. ${sentences.slice(0, 3).join(' ')}${more}`,
  );
}

async function copy(
  source: MoveSource,
  target: MoveTarget,
  begun: Half,
  { tell, bounds }: Required<MoveOptions>,
): Promise<Half> {
  let half = begun;
  for (const [place, table] of movedTables.entries()) {
    // Tables before it are whole.
    if (half.table !== table.name) continue;
    const next = movedTables[place + 1]?.name ?? null;
    for await (const page of pagesOf(source, table, half.after, bounds)) {
      half = behind(half, page, page.next === null ? next : table.name);
      await target.write(table, page.rows, half);
      tell({
        phase: 'copying',
        table: table.name,
        place,
        tables: movedTables.length,
        rows: half.rows - begun.rows,
      });
    }
  }
  return half;
}

function behind(half: Half, page: Page, table: string | null): Half {
  return {
    ...half,
    table,
    after: page.next,
    rows: half.rows + page.rows.length,
    bytes: half.bytes + page.bytes,
  };
}

async function compareAll(
  source: MoveSide,
  target: MoveSide,
  { tell, bounds }: Required<MoveOptions>,
): Promise<readonly ComparedTable[]> {
  let rows = 0;
  const compared = await compare(source, target, {
    bounds,
    tell: (table, more) => {
      rows += more;
      const place = movedTables.indexOf(table);
      tell({ phase: 'comparing', table: table.name, place, tables: movedTables.length, rows });
    },
  });
  const [facts, moved] = await Promise.all([source.readFacts(), target.readFacts()]);
  if (JSON.stringify(facts) === JSON.stringify(moved)) return compared;
  throw changed(source.address, target.address);
}

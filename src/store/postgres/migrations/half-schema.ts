// A schema into which a database is being moved: it has one table more, which says how far that has come.

import { halfMoved } from '../../half-moved.ts';
import type { Address } from '../driver/address.ts';
import { type Channel, run } from '../driver/session.ts';
import type { Statement } from '../driver/statement.ts';
import { decodeText, encodeText } from '../driver/text.ts';

export const makeHalfTable: Statement = {
  text: 'create table moving (one boolean primary key default true check (one), half text not null)',
  values: [],
};

export const dropHalfTable: Statement = { text: 'drop table moving', values: [] };

/** JSON. */
export function writeHalfText(half: string): Statement {
  return {
    text: 'insert into moving (half) values ($1) on conflict (one) do update set half = excluded.half',
    values: [encodeText(half)],
  };
}

/** Undefined: no database is being moved there. */
export async function readHalfText(
  client: Channel,
  { schema }: Address,
): Promise<string | undefined> {
  const [found] = await run(client, 'select to_regclass($1) is not null', [`${schema}.moving`]);
  if (found![0] !== true) return undefined;
  const [row] = await run(client, 'select half from moving');
  return decodeText(row![0] as string);
}

/** Throws a `StoreFault` where a part of another database is. */
export async function refuseHalf(client: Channel, address: Address): Promise<void> {
  const half = await readHalfText(client, address);
  if (half === undefined) return;
  const { from } = JSON.parse(half) as { readonly from: string };
  throw halfMoved({ from, to: address.shown });
}

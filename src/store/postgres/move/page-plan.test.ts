// However long a table is, a page of it costs what the page has, whether the server knows the table yet or not.

import { expect, onTestFinished, test } from 'vitest';
import { fillRichly } from '../../conformance/rich-store.ts';
import { parseAddress } from '../driver/address.ts';
import { connect } from '../driver/session.ts';
import { openPostgresStore } from '../open.ts';
import { makeSchema } from '../testing/schemas.ts';
import { alongTheKey, pageText } from './server-side.ts';
import { type StoredTable, storedTables } from './stored-tables.ts';

test('every table is gone through along its key, and never sorted', async () => {
  const schema = makeSchema();
  onTestFinished(schema.remove);
  const store = await openPostgresStore(schema.address);
  await fillRichly(store);
  await store.close();
  const client = await connect(parseAddress(schema.address));
  onTestFinished(() => client.end());
  const planOf = async (stored: StoredTable, isMore: boolean) => {
    const { text, count } = pageText(stored, isMore);
    await client.query(`prepare page as ${text}`);
    const values = [...(isMore ? stored.key.map((name) => someOf(stored, name)) : []), 9, 9];
    const { rows } = await client.query<Record<'QUERY PLAN', string>>(
      `explain execute page(${values.slice(0, count).join()})`,
    );
    await client.query('deallocate page');
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  };
  for (const isKnown of [false, true]) {
    if (isKnown) await schema.ask('analyze');
    await client.query(
      `begin read only; ${alongTheKey}; set local plan_cache_mode to force_generic_plan`,
    );
    for (const stored of storedTables.values()) {
      for (const isMore of [false, true]) {
        const plan = await planOf(stored, isMore);
        expect(plan).toContain(' using ');
        expect(plan).not.toMatch(/Seq Scan on (?!meta)|\bSort\b/);
      }
    }
    await client.query('commit');
  }
});

/** A value of the key, as a literal. */
function someOf({ table }: StoredTable, name: string): string {
  return table.kinds[table.columns.indexOf(name)] === 'text' ? "'a'" : '1';
}

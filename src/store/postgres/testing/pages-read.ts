// What a statement costs: how many pages of the database it looks at.

import type { Client } from 'pg';
import type { Value } from '../driver/statement.ts';

export async function pagesOf(
  client: Client,
  text: string,
  values: readonly Value[],
): Promise<number> {
  await client.query(`deallocate all; prepare asked as ${text}`);
  const literals = values.map((value) => {
    if (value === null) return 'null';
    return client.escapeLiteral(Array.isArray(value) ? `{${value.join()}}` : String(value));
  });
  const { rows } = await client.query<{ readonly 'QUERY PLAN': readonly Explained[] }>(
    `explain (analyze, buffers, format json) execute asked (${literals.join()})`,
  );
  const { Plan } = rows[0]!['QUERY PLAN'][0]!;
  return Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks'];
}

interface Explained {
  readonly Plan: Readonly<Record<'Shared Hit Blocks' | 'Shared Read Blocks', number>>;
}

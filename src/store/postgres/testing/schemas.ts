// Every test has a schema of its own in the database of the run.

import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { inject } from 'vitest';
import { inSchema } from './server.ts';

export interface TestSchema {
  readonly name: string;
  /** Of a store in it. */
  readonly address: string;
  /** Rows of a statement, whose tables are found in the schema. */
  readonly ask: (text: string) => Promise<readonly Record<string, unknown>[]>;
  readonly remove: () => Promise<void>;
}

export function makeSchema(url = inject('postgresUrl')): TestSchema {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const ask = async (text: string) => {
    const client = new Client(url);
    await client.connect();
    try {
      await client.query(`set search_path to ${name}`);
      const { rows } = await client.query<Record<string, unknown>>(text);
      return rows;
    } finally {
      await client.end();
    }
  };
  return {
    name,
    address: inSchema(url, name),
    ask,
    remove: async () => {
      await ask(`drop schema if exists ${name} cascade`);
    },
  };
}

import { storeCases } from '../conformance/store.cases.ts';
import { openPostgresStore } from './open.ts';
import { makeSchema } from './testing/schemas.ts';

storeCases('postgres', async () => {
  const { address, ask, remove } = makeSchema();
  return {
    open: () => openPostgresStore(address, { connections: 2 }),
    programs: async () => {
      const rows = await ask('select json from programs order by json collate "C"');
      return rows.map(({ json }) => json as string);
    },
    remove,
  };
});

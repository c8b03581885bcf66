import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { Coordinator } from '../../coordinator/port/coordinator.ts';
import { createApp } from '../app.ts';
import { Callers } from '../callers.ts';
import { ServedHosts } from '../served-hosts.ts';
import { Access } from './access.ts';
import { Audit } from './audit.ts';
import type { StrangerLimits } from './stranger-limits.ts';

test('a server with a route that may change something unnamed does not start', async () => {
  const callers = new Callers();
  const app = createApp({
    log: pino({ level: 'silent' }),
    allowedOrigins: [],
    callers,
    served: new ServedHosts(false, () => false),
    credentials: undefined,
    closeMs: 0,
  });
  const coordinator = {} as Coordinator;
  const access = new Access({
    coordinator,
    isOpen: false,
    callers,
    strangers: {} as StrangerLimits,
  });
  new Audit({ coordinator, access, callers, use: 'auto' }).attach(app);
  app.get('/read', () => '');
  app.post('/named', { config: { audit: 'job.submit' } }, () => '');
  app.post('/unnamed', () => '');
  app.delete('/unnamed', () => '');
  await expect(app.ready()).rejects.toThrow(
    'These routes do not say what the audit log tells of: POST /unnamed, DELETE /unnamed',
  );
  await app.close().catch(() => undefined);
});

import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { Coordinator } from '../../coordinator/port/coordinator.ts';
import { createApp } from '../app.ts';
import { Callers } from '../callers.ts';
import { ServedHosts } from '../served-hosts.ts';
import { Access } from './access.ts';
import type { StrangerLimits } from './stranger-limits.ts';

test('a server with a route of which nobody has said who may call it does not start', async () => {
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
  const strangers = { attach: () => undefined } as unknown as StrangerLimits;
  new Access({ coordinator, isOpen: false, callers, strangers }).attach(app);
  app.get('/said', { config: { access: 'admin' } }, () => '');
  app.get('/unsaid', () => '');
  await expect(app.ready()).rejects.toThrow(
    'These routes do not say who may call them: GET /unsaid, HEAD /unsaid',
  );
  await app.close().catch(() => undefined);
});

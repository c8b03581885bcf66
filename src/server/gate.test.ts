import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { Coordinator } from '../coordinator/port/coordinator.ts';
import { defaultLimits } from '../protocol/limits.ts';
import { Access } from './access/access.ts';
import { StrangerLimits } from './access/stranger-limits.ts';
import { createApp } from './app.ts';
import { Callers } from './callers.ts';
import { Connections } from './connections.ts';
import { ServedHosts } from './served-hosts.ts';

/** One that needs no tokens. */
const coordinator = {
  tokens: { areNeeded: false, onChange: () => undefined },
} as unknown as Coordinator;

async function ask(proxies: readonly string[], headers: Record<string, string>): Promise<string> {
  const callers = new Callers(proxies);
  const strangers = new StrangerLimits(defaultLimits, new Connections(1));
  const app = createApp({
    log: pino({ level: 'silent' }),
    allowedOrigins: [],
    callers,
    served: new ServedHosts(false, () => false),
    credentials: undefined,
    closeMs: 0,
  });
  new Access({ coordinator, isOpen: false, callers, strangers }).attach(app);
  app.get('/some', { config: { access: 'client' } }, () => 'some answer');
  const asked = { url: '/some', headers: { host: '127.0.0.1:8000', ...headers } };
  const { statusCode, body } = await app.inject(asked);
  return `${statusCode} ${body}`;
}

const proxy = ['127.0.0.1'];
const page = {
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'localhost:8443',
  origin: 'https://localhost:8443',
};

test('a page is of the address that a believed proxy tells', async () => {
  expect(await ask(proxy, page)).toBe('200 some answer');
  expect(await ask(proxy, { ...page, origin: 'http://localhost:8443' })).toMatch(
    /^403 .*\(https:\/\/localhost:8443\)/,
  );
  expect(await ask([], page)).toMatch(/^403 .*\(http:\/\/127\.0\.0\.1:8000\)/);
});

test('without tokens nobody of elsewhere is served, also through a believed proxy', async () => {
  expect(await ask(proxy, { 'x-forwarded-for': '127.0.0.9' })).toBe('200 some answer');
  expect(await ask(proxy, { 'x-forwarded-for': '203.0.113.5' })).toMatch(
    /^403 .*serves its own machine only, through a proxy as well/,
  );
  expect(await ask(proxy, { 'x-forwarded-for': '203.0.113.5, 127.0.0.1' })).toMatch(/^403 /);
  expect(await ask(proxy, { 'x-forwarded-host': 'muster.example' })).toMatch(
    /^403 .*loopback only/,
  );
});

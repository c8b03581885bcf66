import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { anotherPinThan, testCertificate } from '../../../test/support/test-certificate.ts';
import { keepCredentials } from '../../server/tls/kept-credentials.ts';
import { askAddress, checkCoordinator, isCoordinator } from './check-coordinator.ts';
import { checkTls } from './check-tls.ts';

let folder: string;
const now = new Date();
const kept = { host: '127.0.0.1', dataDir: '.', tls: 'self-signed' } as const;
const own = { host: '127.0.0.1', dataDir: '.', tlsCert: 'cert.pem', tlsKey: 'key.pem' };
const nearTheEnd = new Date(now.getTime() + 815 * 24 * 3_600_000);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-doctor-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

describe('the certificate', () => {
  test('is nobody’s business without TLS', () => {
    expect(checkTls({ host: '127.0.0.1', dataDir: '.' }, folder, now)).toEqual([]);
  });

  test('will be made, or is there with its pin, whatever is set now', () => {
    expect(checkTls(kept, folder, now)).toMatchObject([
      { status: 'ok', finding: expect.stringMatching(/will be made by the first start$/) },
    ]);
    const { pin } = keepCredentials(folder, ['localhost'], now);
    const found = [
      {
        status: 'ok',
        finding: expect.stringMatching(`^its pin is ${pin}; valid until .* days\\)$`),
      },
    ];
    expect(checkTls(kept, folder, now)).toMatchObject(found);
    expect(checkTls({ host: '127.0.0.1', dataDir: '.' }, folder, now)).toMatchObject(found);
  });

  test('is a problem when the file of the key is damaged, and a warning when others may read it', () => {
    keepCredentials(folder, ['localhost'], now);
    writeFileSync(join(folder, 'tls-key.pem'), 'nothing');
    chmodSync(join(folder, 'tls-key.pem'), 0o640);
    expect(checkTls(kept, folder, now)).toMatchObject([
      { status: 'problem', finding: expect.stringMatching(/does not hold a private key/) },
      { status: 'warning', check: 'key', finding: expect.stringMatching(/\(0640\)$/) },
    ]);
  });

  test('of one’s own is warned about before its end, and a problem after it', () => {
    const { cert, key } = testCertificate();
    writeFileSync(join(folder, 'cert.pem'), cert);
    writeFileSync(join(folder, 'key.pem'), key, { mode: 0o600 });
    expect(checkTls(own, folder, now)).toMatchObject([{ status: 'ok' }]);
    expect(checkTls(own, folder, nearTheEnd)).toMatchObject([
      { status: 'warning', advice: expect.stringMatching(/expires in \d days .*Renew it/) },
    ]);
    const later = new Date(nearTheEnd.getTime() + 30 * 24 * 3_600_000);
    expect(checkTls(own, folder, later)).toMatchObject([
      { status: 'problem', finding: expect.stringMatching(/has expired/) },
    ]);
  });
});

test('a coordinator under TLS is asked by its pin, and what is not trusted is told', async () => {
  const { cert, key, pin } = testCertificate();
  const server = createServer({ cert, key }, (request, response) => {
    response.end(request.url === '/api/workers' ? '[]' : '{"status":"ready"}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  onTestFinished(() => server.closeAllConnections());
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `https://${place}`;
  expect(checkCoordinator(url, await askAddress({ url, pin }))).toMatchObject({ status: 'ok' });
  expect(await askAddress({ url })).toMatch(`Its pin is ${pin}.`);
  expect(await askAddress({ url, pin: anotherPinThan(pin) })).toMatch(`its pin is ${pin}`);
  expect(await askAddress({ url: `http://${place}`, pin })).toMatch(/use the address with https/);
  expect(await isCoordinator(place)).toBe(true);
  expect(checkCoordinator(url, 'The reason.')).toMatchObject({ status: 'problem' });
});

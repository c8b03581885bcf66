// Certificates for tests, as a coordinator makes them.

import { checkCredentials } from '../../src/server/tls/credentials.ts';
import { makeKey, signCertificate } from '../../src/server/tls/self-signed.ts';

export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
  readonly pin: string;
}

export function testCertificate(names: readonly string[] = ['localhost']): TestCertificate {
  const key = makeKey();
  const cert = signCertificate(key, names, new Date());
  const files = { certFile: 'cert.pem', keyFile: 'key.pem' };
  const { pin } = checkCredentials('self-signed', { cert, key }, files, new Date());
  return { cert, key, pin };
}

/** A pin that is not this one. */
export function anotherPinThan(pin: string): string {
  return `${pin.startsWith('x') ? 'y' : 'x'}${pin.slice(1)}`;
}

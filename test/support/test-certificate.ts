// Certificates for tests, as a coordinator makes them.

import { checkCredentials, type Credentials } from '../../src/server/tls/credentials.ts';
import { makeKey, signCertificate } from '../../src/server/tls/self-signed.ts';

export function testCertificate(names: readonly string[] = ['localhost']): Credentials {
  const key = makeKey();
  const cert = signCertificate(key, names, new Date());
  const files = { certFile: 'cert.pem', keyFile: 'key.pem' };
  return checkCredentials('self-signed', { cert, key }, files, new Date());
}

/** A pin that is not this one. */
export function anotherPinThan(pin: string): string {
  return `${pin.startsWith('x') ? 'y' : 'x'}${pin.slice(1)}`;
}

// A connection under TLS to whoever has the pinned key. Names, dates and signatures in the certificate do
// not matter. The pin is compared when the handshake is over and before anybody is given the connection:
// nothing is sent to another.

import type { ConnectCallback, ConnectTarget, NodeModules, TlsConnection } from './node-modules.ts';
import { anotherPin } from './untrusted.ts';

/** How long it may take until there is a connection. */
const connectMs = 30_000;

export function connectPinned(
  node: NodeModules,
  { host = 'localhost', port = 443 }: ConnectTarget,
  pin: string,
  callback: ConnectCallback,
): void {
  openUnchecked(node, { host, port }, (error, connection) => {
    if (connection === undefined) return callback(error);
    const met = pinOfPeer(node, connection);
    if (met === pin) return callback(null, connection);
    connection.destroy();
    callback(anotherPin(`${host}:${port}`, met ?? 'unknown', pin));
  });
}

/** The pin of whoever answers there; null when that cannot be found out. Sends nothing but a handshake. */
export function meetPin(node: NodeModules, url: string): Promise<string | null> {
  const { hostname, port } = new URL(url);
  const target = { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? 443 : port };
  return new Promise((resolve) => {
    openUnchecked(node, target, (_error, connection) => {
      resolve(connection === undefined ? null : pinOfPeer(node, connection));
      connection?.destroy();
    });
  });
}

/** Whoever gets the connection must look at its certificate first. */
function openUnchecked(
  node: NodeModules,
  { host, port }: { readonly host: string; readonly port: number | string },
  callback: ConnectCallback,
): void {
  const connection = node.tls.connect({
    host,
    port: Number(port),
    ...(node.net.isIP(host) === 0 ? { servername: host } : {}),
    rejectUnauthorized: false,
    ALPNProtocols: ['http/1.1'],
  });
  const fail = (error: Error) => {
    connection.destroy();
    callback(error);
  };
  connection.once('error', fail);
  connection.setTimeout(connectMs, () => {
    connection.off('error', fail);
    connection.once('error', () => undefined);
    fail(Object.assign(new Error('connect timed out'), { code: 'ETIMEDOUT' }));
  });
  connection.once('secureConnect', () => {
    connection.off('error', fail);
    connection.setTimeout(0);
    callback(null, connection);
  });
}

function pinOfPeer(node: NodeModules, connection: TlsConnection): string | null {
  const key = connection.getPeerX509Certificate()?.publicKey;
  if (key === undefined) return null;
  const spki = key.export({ type: 'spki', format: 'der' });
  return node.crypto.createHash('sha256').update(spki).digest('base64url');
}

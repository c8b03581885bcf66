// Other coordinators of a cluster, to which a worker goes while its own is gone. Where they are it is told by the one
// that it is connected to; whom it trusts is its own business, and nothing that it is told changes that.

/**
 * Whether the address may be tried by a worker that was started with `own`: an address that anybody on the way could
 * answer for is none for a worker that trusts a certificate. The rest is decided when it connects, as for its own
 * coordinator: by its pin, or by who has signed the certificate.
 */
export function isAsTrusted(other: string, own: string): boolean {
  const url = URL.canParse(other) ? new URL(other) : null;
  if (url === null || url.username !== '' || url.password !== '') return false;
  if (url.origin === new URL(own).origin) return false;
  if (url.protocol === 'https:') return true;
  return url.protocol === 'http:' && new URL(own).protocol === 'http:';
}

/** A key that nobody has used before. `randomUUID` is missing on pages of insecure origins. */
export function newIdempotencyKey(): string {
  const { crypto } = globalThis;
  if ('randomUUID' in crypto) return crypto.randomUUID();
  const bytes = (crypto as Crypto).getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

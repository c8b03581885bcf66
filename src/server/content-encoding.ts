// Which of the encodings that there are a client takes (RFC 9110, 12.5.3).

/** The first of `offered` that `accepted` allows, or null: as it is. `accepted`: the header of the request. */
export function chooseEncoding(
  accepted: string | undefined,
  offered: readonly string[],
): string | null {
  if (accepted === undefined) return null;
  const weights = new Map<string, number>();
  for (const part of accepted.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((each) => each.trim());
    const quality = parameters.find((each) => each.startsWith('q='));
    const weight = quality === undefined ? 1 : Number(quality.slice(2));
    if (name !== '') weights.set(name, Number.isFinite(weight) ? weight : 0);
  }
  const rest = weights.get('*') ?? 0;
  return offered.find((name) => (weights.get(name) ?? rest) > 0) ?? null;
}

// Which of several forms of an answer `Accept` asks for.

/**
 * The name of the type that is named with the highest quality; of equal ones the later in `types`, so that the most
 * particular stands last. The first when none of them is named (a wildcard names none).
 */
export function preferredType<N extends string>(
  accept: string | undefined,
  types: Readonly<Record<N, string>>,
): N {
  const names = Object.keys(types) as N[];
  let [preferred] = names as [N];
  if (accept === undefined) return preferred;
  const qualities = qualitiesOf(accept);
  let highest = 0;
  for (const name of names) {
    const quality = qualities.get(types[name]) ?? 0;
    if (quality === 0 || quality < highest) continue;
    highest = quality;
    preferred = name;
  }
  return preferred;
}

function qualitiesOf(accept: string): ReadonlyMap<string, number> {
  const qualities = new Map<string, number>();
  for (const range of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    qualities.set(type, weight === undefined ? 1 : Number(weight) || 0);
  }
  return qualities;
}

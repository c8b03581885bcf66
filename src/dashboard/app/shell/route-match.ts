// Paths of pages: `/jobs/:job` stands for every job.

/** The parts of the path that stand for something, or null when it is another path. */
export function matchPath(pattern: string, path: string): Readonly<Record<string, string>> | null {
  const wanted = pattern.split('/');
  const given =
    path.length > 1 && path.endsWith('/') ? path.slice(0, -1).split('/') : path.split('/');
  if (wanted.length !== given.length) return null;
  const found: Record<string, string> = {};
  for (const [place, part] of wanted.entries()) {
    const is = given[place]!;
    if (part.startsWith(':')) {
      const value = decoded(is);
      if (value === null || value === '') return null;
      found[part.slice(1)] = value;
    } else if (part !== is) return null;
  }
  return found;
}

function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

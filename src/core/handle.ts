// A handle: what a person says instead of the whole id of a job or a worker.

/** A part of an id may be as short as this. */
export const handleCharacters = 4;

export interface Named {
  readonly id: string;
  readonly name: string | null;
}

/**
 * Whether the handle is the id, its beginning, its end, or the name. Ids are ordered by time, so their ends
 * tell neighbours apart better than their beginnings.
 */
export function isMeant(handle: string, { id, name }: Named): boolean {
  if (handle === id || handle === name) return true;
  const part = handlePart(handle);
  return part !== null && (id.startsWith(part) || id.endsWith(part));
}

/** As a part of an id, whose letters are small; null when it is too short for one. */
export function handlePart(handle: string): string | null {
  return handle.length < handleCharacters ? null : handle.toLowerCase();
}

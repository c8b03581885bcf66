// References inside one JSON document.

import type { Loose } from './live-server.ts';

/** Every `$ref` that leads nowhere. */
export function danglingReferences(document: Loose): string[] {
  return references(document).filter((reference) => target(document, reference) === undefined);
}

function references(value: Loose): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = typeof value.$ref === 'string' ? [value.$ref as string] : [];
  return [...own, ...Object.values(value).flatMap(references)];
}

function target(document: Loose, reference: string): unknown {
  if (!reference.startsWith('#/')) return undefined;
  const keys = reference.slice(2).split('/');
  return keys
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((at, key) => at?.[key], document);
}

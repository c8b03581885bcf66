// Rewrites what would keep a whole bundle from running although perhaps nobody comes to it: the sandbox takes
// no module with a direct `eval`, an `import(…)` or an `import.meta`, wherever it stands.

import type { Node } from 'estree';
import type { Capture } from '../../client/packing/captures.ts';

const IMPORT = '$muster_import';
const META = '$muster_meta';

const DECLARATIONS: Readonly<Record<string, string>> = {
  [IMPORT]: `function ${IMPORT}(name) { return Promise.reject(new Error("import(" + JSON.stringify(name) + ") is not possible where tasks run")); }`,
  [META]: `function ${META}() {}`,
};

/** No line changes its number. */
export function rewritten(source: string, captures: readonly Capture[]): string {
  const used = new Set<string>();
  const parts: string[] = [];
  let at = 0;
  const inOrder = captures
    .filter(isRewritten)
    .toSorted((a, b) => startOf(a.node) - startOf(b.node));
  for (const { kind, node } of inOrder) {
    const start = startOf(node);
    const [text, length] = replacementOf(kind);
    if (text !== INDIRECT) used.add(text);
    parts.push(source.slice(at, start), text);
    at = start + (kind === 'import.meta' ? endOf(node) - start : length);
  }
  parts.push(source.slice(at), ...[...used].map((name) => `${DECLARATIONS[name]}\n`));
  return parts.join('');
}

/** A call of `eval` that is no direct one: it sees no local variables. */
const INDIRECT = 'globalThis.eval';

const isRewritten = ({ kind }: Capture) =>
  kind === 'eval' || kind === 'import' || kind === 'import.meta';

function replacementOf(kind: Capture['kind']): [text: string, length: number] {
  if (kind === 'eval') return [INDIRECT, 'eval'.length];
  return kind === 'import' ? [IMPORT, 'import'.length] : [META, 0];
}

function startOf(node: Node): number {
  return (node as unknown as { start: number }).start;
}

function endOf(node: Node): number {
  return (node as unknown as { end: number }).end;
}

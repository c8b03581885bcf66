import type { Program } from 'estree';
import { walk } from 'estree-walker';

/** `typeof process` asks before it uses: what does so for a name works without it. */
export function namesAskedFor(program: Program): ReadonlySet<string> {
  const names = new Set<string>();
  walk(program, {
    enter(node) {
      if (node.type !== 'UnaryExpression' || node.operator !== 'typeof') return;
      if (node.argument.type === 'Identifier') names.add(node.argument.name);
    },
  });
  return names;
}

// The criteria by which workers are compared, as text for people.

import type { CriterionDescription } from '../../client/index.ts';
import { plainText } from './foreign-text.ts';
import type { Page } from './ranking.ts';

export function criteriaText(criteria: readonly CriterionDescription[], page: Page): string {
  const indent = Math.max(...criteria.map(({ config_key: key }) => key.length)) + 2;
  return criteria
    .map((criterion) => {
      const { config_key: key, name, unit, kind, meaning, source, rule } = criterion;
      const better = kind === 'benefit' ? 'more is better' : 'less is better';
      const head = plainText(`${key.padEnd(indent)}${name}, ${unit}, ${better}`);
      const more = meaning.startsWith(`${name}: `) ? meaning.slice(name.length + 2) : meaning;
      const lines = [...(more === name ? [] : [more]), `from: ${source}`, `value: ${rule}`];
      const rest = lines.flatMap((line) => wrapped(plainText(line), indent, page.columns));
      return [head, ...rest.map((line) => page.colors.dim(line))].join('\n');
    })
    .join('\n\n');
}

/** Breaks a text between words, so that no line is wider than the page. */
function wrapped(text: string, indent: number, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && indent + line.length + 1 + word.length > columns) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line].map((each) => ' '.repeat(indent) + each);
}

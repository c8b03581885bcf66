// Templates of commands: `{input}`, `{input.frame}`, `{input[0]}`, `{input.list...}`, `{index}`, `{task_id}`,
// `{job_id}`, `{attempt}`, `{file:name}` within a text, and `{{` for a brace. What is wrong with one is found when the job
// is submitted: here is what a template is, not what becomes of it.

/** A part of a template: a text as it stands, or what is put in its place for a task. */
export type TemplatePart =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'input';
      readonly path: readonly (string | number)[];
      readonly isSpread: boolean;
    }
  | { readonly type: 'word'; readonly word: (typeof templateWords)[number] }
  | { readonly type: 'file'; readonly name: string };

export const templateWords = ['index', 'task_id', 'job_id', 'attempt'] as const;

const step = /\.([A-Za-z_][A-Za-z0-9_-]*)|\[(0|[1-9][0-9]{0,8})\]/y;

/** The parts of a template; a text that follows "must" says instead what is wrong with it. */
export function templateParts(template: string): readonly TemplatePart[] | string {
  const parts: TemplatePart[] = [];
  let text = '';
  for (let at = 0; at < template.length; ) {
    const open = template.indexOf('{', at);
    if (open < 0) {
      text += template.slice(at);
      break;
    }
    text += template.slice(at, open);
    if (template[open + 1] === '{') {
      text += '{';
      at = open + 2;
      continue;
    }
    const close = template.indexOf('}', open);
    if (close < 0) return 'close every brace; write {{ for one that is meant';
    const part = partOf(template.slice(open + 1, close));
    if (part === undefined) {
      const given = JSON.stringify(template.slice(open, Math.min(close + 1, open + 80)));
      return `have no other placeholders than {input}, {input.key}, {input[0]}, {index}, {task_id}, {job_id}, {attempt} and {file:name}; ${given} is none`;
    }
    if (text !== '') parts.push({ type: 'text', text });
    text = '';
    parts.push(part);
    at = close + 1;
  }
  if (text !== '') parts.push({ type: 'text', text });
  const isSpread = parts.some((part) => part.type === 'input' && part.isSpread);
  if (isSpread && parts.length > 1)
    return 'be nothing but {input.list...}, where several are made of one';
  return parts;
}

function partOf(inside: string): TemplatePart | undefined {
  const word = templateWords.find((each) => each === inside);
  if (word !== undefined) return { type: 'word', word };
  if (inside.startsWith('file:')) {
    const name = inside.slice('file:'.length);
    return name === '' ? undefined : { type: 'file', name };
  }
  if (!inside.startsWith('input')) return undefined;
  const isSpread = inside.endsWith('...');
  const rest = inside.slice('input'.length, isSpread ? -'...'.length : undefined);
  const path: (string | number)[] = [];
  for (step.lastIndex = 0; step.lastIndex < rest.length; ) {
    const found = step.exec(rest);
    if (found === null) return undefined;
    path.push(found[1] ?? Number(found[2]));
  }
  return { type: 'input', path, isSpread };
}

// The examples of a document: its fenced blocks in order, each with what a hidden comment before it
// says of it.
//
//   <!-- test: run -->               the block is run by bash; it must end with 0
//   <!-- test: run until "TEXT" -->  the same, and what it starts in the background must say TEXT
//   <!-- test: endless -->           the block goes on in the background until the end of the page
//   <!-- test: session -->           lines after `$ ` are run, the others are what must come out
//   <!-- test: file NAME -->         the block is the content of a file
//   <!-- test: output -->            what the block that was run before must have printed
//   <!-- test: not run, WHY -->
//
// and, without a block, `<!-- test: hidden COMMAND -->`: run, but not shown; to wait for something.
//
// A block of bash without a comment is run. One that quotes a file of the repository (`ts from PATH`) is
// compared with it by the house rules (`test/tidy/excerpts.ts`).

export type Example =
  | { readonly type: 'run'; readonly line: number; readonly text: string; readonly until?: string }
  | { readonly type: 'session'; readonly line: number; readonly steps: readonly Step[] }
  | { readonly type: 'file'; readonly line: number; readonly name: string; readonly text: string }
  | { readonly type: 'output'; readonly line: number; readonly text: string };

export interface Step {
  readonly line: number;
  readonly command: string;
  readonly output: readonly string[];
}

/** Languages whose blocks are code: one that is neither run nor excused is a mistake. */
const CODE = new Set(['sh', 'bash', 'console', 'js', 'mjs', 'ts', 'python', 'ini']);
const SHELL = new Set(['sh', 'bash']);

/** Whether the line opens a block that quotes a file. */
export function isExcerpt(line: string): boolean {
  return /^```\w+ from \S+$/.test(line);
}

/** `page` is for the messages. */
export function examplesOf(text: string, page: string): readonly Example[] {
  const examples: Example[] = [];
  const lines = text.split('\n');
  let mark: string | undefined;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    const [, hidden] = /^<!-- test: hidden (.*) -->$/.exec(line) ?? [];
    if (hidden !== undefined) examples.push({ type: 'run', line: at + 1, text: `${hidden}\n` });
    const [, given] = /^<!-- test: (?!hidden)(.*) -->$/.exec(line) ?? [];
    // A mark holds for the block that follows it at once.
    if (given !== undefined) mark = given;
    else if (line.trim() !== '' && !line.startsWith('```')) mark = undefined;
    const language = /^```(\w*)/.exec(line)?.[1];
    if (language === undefined) continue;
    const end = lines.indexOf('```', at + 1);
    if (end < 0) throw new Error(`${page}:${at + 1}: the block does not end`);
    const place = { page, line: at + 1 };
    if (!isExcerpt(line)) {
      const example = exampleOf(mark, language, lines.slice(at + 1, end), place);
      if (example !== undefined) examples.push(example);
    }
    mark = undefined;
    at = end;
  }
  return examples;
}

function exampleOf(
  mark: string | undefined,
  language: string,
  content: readonly string[],
  { page, line }: { readonly page: string; readonly line: number },
): Example | undefined {
  const text = `${content.join('\n')}\n`;
  const [, kind, rest = ''] =
    /^(run until|run|endless|session|file|output|not run)\b,? ?(.*)$/.exec(
      mark ?? (SHELL.has(language) ? 'run' : ''),
    ) ?? [];
  switch (kind) {
    case 'run':
      return { type: 'run', line, text };
    case 'run until':
      return { type: 'run', line, text, until: rest.replaceAll('"', '') };
    case 'endless':
      return { type: 'run', line, text: `{\n${text}} &\n` };
    case 'session':
      return { type: 'session', line, steps: stepsOf(content, line) };
    case 'file':
      return { type: 'file', line, name: rest, text };
    case 'output':
      return { type: 'output', line, text };
    case 'not run':
      if (rest === '') throw new Error(`${page}:${line}: says not why it is not run`);
      return undefined;
    default:
      if (mark === undefined && !CODE.has(language)) return undefined;
      throw new Error(`${page}:${line}: this ${language} block is neither tested nor excused`);
  }
}

function stepsOf(content: readonly string[], firstLine: number): readonly Step[] {
  const steps: { line: number; command: string; output: string[] }[] = [];
  for (const [index, text] of content.entries()) {
    if (text.startsWith('$ ')) {
      steps.push({ line: firstLine + index + 1, command: text.slice(2), output: [] });
    } else steps.at(-1)?.output.push(text);
  }
  return steps;
}

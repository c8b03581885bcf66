// Every example of README.md and docs/, run as it stands there: the commands, the programs, the
// worker made of curl; and what they print is compared with what the page says.

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { serveCli } from '../support/cli-process.ts';
import { DocReader } from '../support/doc-reader.ts';
import { DocShell } from '../support/doc-shell.ts';
import { examplesOf } from '../support/document.ts';
import { freePort } from '../support/free-port.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const PAGES = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.replaceAll('\\', '/')}`)
    .toSorted(),
];

/** Read first: their `muster` is that of the checkout, which starts from its sources. */
const FIRST_PAGES = new Set(['README.md', 'docs/start.md']);
const STARTS_ONE = /^(?:\$ )?muster serve\b.* &/m;
const hasCurl = spawnSync('curl', ['--version']).status === 0;

const documents = PAGES.map((page) => {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return { page, text, examples: examplesOf(text, page) };
});

describe('the examples of', () => {
  test.for(documents.filter(({ examples }) => examples.length > 0))(
    '$page do what it says',
    async ({ page, text, examples }, { skip }) => {
      if (!hasCurl && text.includes('curl -')) skip('this machine has no curl');
      const port = await freePort();
      const shell = new DocShell(port, FIRST_PAGES.has(page) ? 'of the checkout' : 'built');
      onTestFinished(() => shell.close());
      if (!STARTS_ONE.test(text)) {
        const { stop } = await serveCli(['--port', String(port)], { folder: shell.folder });
        onTestFinished(async () => void (await stop()));
      }
      expect(await new DocReader(shell, port).firstFault(examples)).toBeUndefined();
    },
  );
});

describe('a document that is wrong is found out:', () => {
  const faultIn = async (text: string) => {
    const shell = new DocShell(await freePort());
    onTestFinished(() => shell.close());
    return new DocReader(shell, 1).firstFault(examplesOf(text, 'page'));
  };

  test('a command that fails', async () => {
    expect(await faultIn('```sh\ntrue\nfalse\n```\n')).toMatch(/^line 1: it ended with 1/);
  });

  test('an output that is another', async () => {
    const session = (said: string) =>
      `<!-- test: session -->\n\n\`\`\`console\n$ echo one; echo two\n${said}\n\`\`\`\n`;
    expect(await faultIn(session('one\ntwo'))).toBeUndefined();
    expect(await faultIn(session('one\n…wo'))).toBeUndefined();
    expect(await faultIn(session('one'))).toContain('it says:\none\ntwo');
  });

  test('but not for what a busy disk makes a coordinator in the background say', async () => {
    const slow = '03:26:05 A commit took 2.0 s: the disk is slow, or busy with something else.';
    const session = (said: string) =>
      `<!-- test: session -->\n\n\`\`\`console\n$ echo '${said}' >&2; echo done\ndone\n\`\`\`\n`;
    expect(await faultIn(session(slow))).toBeUndefined();
    expect(await faultIn(session('03:26:05 something else'))).toContain('instead of:\ndone');
  });

  test('code that nobody tries', () => {
    expect(() => examplesOf('```js\nlet a;\n```\n', 'page')).toThrow('page:1: this js block');
    expect(examplesOf('```ts from src/a.ts\nlet a;\n```\n', 'page')).toEqual([]);
    expect(() => examplesOf('<!-- test: not run -->\n```sh\n```\n', 'page')).toThrow('not why');
  });
});

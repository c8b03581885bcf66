import { expect, test } from 'vitest';
import { hiddenOf, ProgramInvalid } from './module-form.ts';
import { ProgramText, ProgramTexts } from './program-texts.ts';

const source = 'export default () => 1';

test('jobs with the same hash have the same text, for as long as one has it', () => {
  const texts = new ProgramTexts();
  const first = texts.take('x', source);
  expect(texts.take('x', null)).toBe(first);
  texts.letGo(first!);
  expect(texts.take('x', null)).toBe(first);
  texts.letGo(first!);
  texts.letGo(first!);
  expect(texts.take('x', null)).toBeUndefined();
  expect(texts.take('x', source)).not.toBe(first);
});

test('a text without a hash is shared by nobody', () => {
  const texts = new ProgramTexts();
  const first = texts.take(null, source);
  expect(texts.take(null, source)).not.toBe(first);
  expect(texts.take(null, null)).toBeUndefined();
  texts.letGo(first!);
});

test('a text is prepared once, and what a job can reach is made for each', () => {
  const text = new ProgramText("export default () => String.raw`import('x')`");
  const form = text.form();
  expect(text.form()).toBe(form);
  const [one, other] = [hiddenOf(form), hiddenOf(form)] as { readonly templates: object[] }[];
  expect(one).toEqual(other);
  expect(one).not.toBe(other);
  expect(one!.templates).not.toBe(other!.templates);
  expect(one!.templates[0]).not.toBe(other!.templates[0]);
  expect(Object.isFrozen(one!.templates[0])).toBe(true);
});

test('what is wrong with a text is said each time', () => {
  const text = new ProgramText('export default ((');
  for (let i = 0; i < 2; i++) expect(() => text.form()).toThrow(ProgramInvalid);
});

test('the script is made once, and is handed the lazy globals that the body may speak of', () => {
  const text = new ProgramText('export default () => Math.max(1, here)');
  const script = text.script(['console', 'Math', 'URL']);
  expect(script).toMatch(/^\(\(\{console,Math\}, /);
  expect(text.script(['console', 'Math', 'URL'])).toBe(script);
  const column = script.split('\n')[0]!.indexOf('here') + 1;
  expect(text.toOriginal({ line: 1, column })).toEqual({ line: 1, column: 34 });
});

test('a place is left as it is while no script was made', () => {
  const text = new ProgramText(source);
  expect(text.toOriginal({ line: 3, column: 4 })).toEqual({ line: 3, column: 4 });
});

import { expect, test } from 'vitest';
import { breakable, cut, markup, name, sentence, visible } from './markup.ts';

test('strings are text, in elements and in attributes; markup stays markup', () => {
  const inner = markup`<b>${'<&>'}</b>`;
  expect(markup`<p title="${`"'`}">${inner}${[1, null, 'a']}</p>`.text).toBe(
    '<p title="&quot;&#39;"><b>&lt;&amp;&gt;</b>1a</p>',
  );
});

test('signs without a shape are shown by their numbers, line feeds stay', () => {
  expect(visible('a\u202eb\u0000c\nd\ud800e')).toBe('a\\u202eb\\u0000c\nd\\ud800e');
  expect(visible('أزرق 🙂 é')).toBe('أزرق 🙂 é');
});

test('names from the right are isolated where they stand in a sentence', () => {
  expect(sentence('أزرق is best, fifo is worse by 12 % of 1 204 s', ['fifo', 'أزرق']).text).toBe(
    '<bdi>أزرق</bdi> is best, fifo is worse by 12\u00a0% of 1\u00a0204\u00a0s',
  );
  expect(name('<a>').text).toBe('<bdi>&lt;a&gt;</bdi>');
  expect(breakable('least_loaded').text).toBe('<bdi>least_<wbr>loaded</bdi>');
});

test('what is too long ends with a sign, whole letters before it', () => {
  expect(cut('short', 5)).toBe('short');
  expect(cut('🙂🙂🙂', 2)).toBe('🙂…');
});

import { expect, test } from 'vitest';
import { leastBetween, placeMarks } from './chart-marks.ts';

const window = { fromMs: 0, untilMs: 1_000, width: 1_000 };
const at = (atMs: number, text = `at ${atMs}`) => ({ atMs, text });

test('marks that are far apart have their texts', () => {
  const { lines, texts } = placeMarks([at(600), at(100)], window);
  expect(lines).toEqual([100, 600]);
  expect(texts.map(({ x, text, more, width }) => [x, text, more, width])).toEqual([
    [100, 'at 100', 0, 500],
    [600, 'at 600', 0, 400],
  ]);
});

test('of those within 80 pixels that is named at whose line it stands, and the others are counted; each has its line', () => {
  const { lines, texts } = placeMarks([at(100), at(120), at(150), at(179), at(180)], window);
  expect(lines).toEqual([100, 120, 150, 179, 180]);
  expect(texts.map(({ x, text, more }) => [x, text, more])).toEqual([
    [100, 'at 100', 3],
    [180, 'at 180', 0],
  ]);
  expect(texts[0]!.all).toBe('at 100\nat 120\nat 150\nat 179');
});

test('what has a short text has it there, and its whole one in the hint', () => {
  const [mark] = placeMarks([{ ...at(100, 'fifo in force'), short: 'fifo' }], window).texts;
  expect([mark!.text, mark!.all]).toEqual(['fifo', 'fifo in force']);
});

test('however many there are, no two texts are nearer than 80 pixels', () => {
  const many = Array.from({ length: 500 }, (_, place) => at(place * 2));
  const { texts } = placeMarks(many, window);
  for (const [place, { x }] of texts.entries()) {
    if (place > 0) expect(x - texts[place - 1]!.x).toBeGreaterThanOrEqual(leastBetween);
  }
  expect(texts.reduce((sum, { more }) => sum + more + 1, 0)).toBe(500);
});

test('a text without room behind its line stands before it', () => {
  expect(placeMarks([at(950)], window).texts[0]).toMatchObject({ isBefore: true, width: 950 });
});

test('the last one shares the room with the one before it', () => {
  const { texts } = placeMarks([at(500), at(980)], window);
  expect(texts.map(({ width, isBefore }) => [width, isBefore])).toEqual([
    [240, false],
    [240, true],
  ]);
});

test('what lies outside of the window is not there', () => {
  expect(placeMarks([at(-1), at(1_001)], window)).toEqual({ lines: [], texts: [] });
});

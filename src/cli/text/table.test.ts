import { describe, expect, test } from 'vitest';
import { createColors } from './colors.ts';
import { type Column, renderFacts, renderTable, roomOf, shortId } from './table.ts';
import { widthOf } from './text-width.ts';

interface Row {
  readonly name: string;
  readonly count: number;
}

const columns: readonly Column<Row>[] = [
  { title: 'NAME', cell: ({ name }) => name },
  { title: 'COUNT', align: 'right', cell: ({ count }) => String(count) },
];

describe('a table', () => {
  test('aligns its columns, numbers to the right', () => {
    const rows = [
      { name: 'a', count: 1 },
      { name: 'longer', count: 1_000_000 },
    ];
    expect(renderTable(columns, rows)).toBe(
      ['NAME      COUNT', 'a             1', 'longer  1000000'].join('\n'),
    );
  });

  test('counts colours and wide characters as what is seen', () => {
    const { red } = createColors(true);
    const rows = [
      { name: red('red'), count: 1 },
      { name: '🙂🙂🙂🙂', count: 22 },
    ];
    const [, first, second] = renderTable(columns, rows).split('\n');
    expect(first).toBe(`${red('red')}           1`);
    expect(second).toBe('🙂🙂🙂🙂     22');
  });

  test('ends its lines at the same column of a terminal, whatever is written', () => {
    const names = ['plain', '日本語のジョブ', '한국어', 'e\u0301te\u0301', '❤\ufe0f', '１'];
    const rows = names.map((name) => ({ name, count: 7 }));
    expect(renderTable(columns, rows).split('\n').map(widthOf)).toEqual(Array(7).fill(14 + 7));
  });

  test('lets no name break a line or steer the terminal', () => {
    const rows = [{ name: 'two\nlines\u001b[2J\u0007\u001b]0;title', count: 1 }];
    expect(renderTable(columns, rows).split('\n')[1]).toBe(
      'two lines\\u001b[2J\\u0007\\u001b]0;title      1',
    );
  });
});

describe('in too little room', () => {
  const wide: readonly Column<Row>[] = [
    { title: 'ID', cell: ({ name }) => name, givesWay: 2, short: ({ name }) => shortId(name) },
    { title: 'COUNT', align: 'right', cell: ({ count }) => String(count) },
    { title: 'VERSION', cell: () => '0.1.0', givesWay: 1 },
  ];
  const rows = [{ name: '01a2-0123456789abcdef', count: 1 }];
  const titles = (room: number) => renderTable(wide, rows, undefined, room).split('\n');

  test('columns give way in their order, the first alone where that is enough', () => {
    expect(titles(37)).toEqual(renderTable(wide, rows).split('\n'));
    expect(titles(36)).toEqual(['ID                     COUNT', '01a2-0123456789abcdef      1']);
    expect(titles(27)).toEqual(['ID             COUNT', '…456789abcdef      1']);
    expect(titles(5)).toEqual(titles(27));
  });

  test('a name is cut off as far as it must be, and no further than it says', () => {
    const named: readonly Column<Row>[] = [
      { ...columns[0]!, givesWay: 1, least: 6 },
      { ...columns[1]!, givesWay: 2 },
    ];
    const japanese = [{ name: '日本語のジョブ', count: 1 }];
    const lines = (room: number) => renderTable(named, japanese, undefined, room).split('\n');
    expect(lines(21)[1]).toBe('日本語のジョブ      1');
    expect(lines(20)[1]).toBe('日本語のジョ…      1');
    expect(lines(12)[1]).toBe('日本…      1');
    expect(lines(11)).toEqual(['NAME', '日本…']);
    for (let room = 6; room < 30; room++) {
      expect(Math.max(...lines(room).map(widthOf))).toBeLessThanOrEqual(room);
    }
  });

  test('a pipe has room for all', () => {
    expect(roomOf({ isWatched: false, columns: 80 })).toBe(Infinity);
    expect(roomOf({ isWatched: true, columns: 80 })).toBe(80);
  });
});

test('facts stand below each other', () => {
  expect(
    renderFacts([
      ['id', 'x'],
      ['status', 'completed'],
    ]),
  ).toBe('id      x\nstatus  completed');
});

import { expect, test } from 'vitest';
import { Announcer } from './announcer.ts';

function listening() {
  const said: string[] = [];
  let waiting: (() => void) | null = null;
  const clock = {
    setTimeout: (run: () => void) => {
      waiting = run;
      return 1;
    },
    clearTimeout: () => {
      waiting = null;
    },
  };
  const pass = () => {
    const run = waiting;
    waiting = null;
    run?.();
  };
  return { said, pass, announcer: new Announcer((text) => said.push(text), clock) };
}

test('only what has stood for a moment is read out', () => {
  const { said, pass, announcer } = listening();
  announcer.show('Ready');
  announcer.show('Working');
  announcer.show('Working');
  pass();
  expect(said).toEqual(['Working']);
});

test('nothing is read out twice in a row, however often it came and went', () => {
  const { said, pass, announcer } = listening();
  announcer.show('Working');
  pass();
  announcer.show('Ready');
  announcer.show('Working');
  pass();
  announcer.show('Paused');
  pass();
  expect(said).toEqual(['Working', 'Paused']);
});

import { expect, test } from 'vitest';
import { connectionsWithin, mostOpenFiles, tooFewFiles } from './open-files.ts';

test.each([
  { files: 1_048_576, wanted: 50_000, most: 50_000, what: 'as many as wanted where they fit' },
  { files: 20_000, wanted: 50_000, most: 19_744, what: 'what is left beside other files' },
  { files: 256, wanted: 50_000, most: 128, what: 'half of very few files' },
  { files: 1, wanted: 50_000, most: 0, what: 'none of one' },
  { files: undefined, wanted: 50_000, most: 50_000, what: 'as many as wanted where nobody knows' },
])('$files files are enough for $most connections: $what', ({ files, wanted, most }) => {
  expect(connectionsWithin(files, wanted)).toBe(most);
});

test('says what to do when more connections were asked for than files can be open', () => {
  expect(tooFewFiles(20_000, 19_744)).toBeUndefined();
  expect(tooFewFiles(undefined, 1e9)).toBeUndefined();
  expect(tooFewFiles(20_000, 30_000)).toBe(
    'The limit connections is 30000, but this process may have 20000 files open, which is enough for ' +
      '19744 connections. Raise the limit of open files (ulimit -n, or LimitNOFILE of systemd), or start ' +
      'with --limit connections=19744.',
  );
});

test.runIf(process.platform === 'linux')('knows the limit of this process', () => {
  expect(mostOpenFiles()).toBeGreaterThan(0);
});

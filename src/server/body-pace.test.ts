import { expect, test } from 'vitest';
import { BodyPace, leastBodyRate, leastUploadRate } from './body-pace.ts';

/** For how many seconds a body is read that arrives so fast, in pieces of one second; at most an hour. */
function secondsTaken(leastRate: number, bytesPerSecond: number): number {
  const pace = new BodyPace(leastRate);
  for (let second = 1; second <= 3600; second++) {
    if (!pace.arrived(bytesPerSecond, 1000)) return second;
  }
  return 3600;
}

test('a body of a byte now and then is not waited for', () => {
  expect(secondsTaken(leastBodyRate, 5)).toBe(61);
  expect(secondsTaken(leastUploadRate, 5)).toBe(88);
});

test('a phone with a bad connection may take its time', () => {
  expect(secondsTaken(leastBodyRate, 1000)).toBe(3600);
});

test('an upload may go on for ever with an input now and then', () => {
  expect(secondsTaken(leastUploadRate, 16)).toBe(3600);
});

test('only waiting counts: an upload is not slow when its lines are taken slowly', () => {
  const pace = new BodyPace(leastBodyRate);
  for (let i = 0; i < 1000; i++) expect(pace.arrived(1, 50)).toBe(true);
});

test('says how fast it must be', () => {
  expect(new BodyPace(512).tooSlow().message).toBe(
    'The body arrives too slowly: fewer than 512 bytes a second.',
  );
});

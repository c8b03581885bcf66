import { describe, expect, test } from 'vitest';
import {
  doorOf,
  endsIn,
  hasPin,
  hindrances,
  openingCommands,
  pageOfWorker,
  toldOf,
  usedBy,
  whyEnded,
} from './join-words.ts';

const nowMs = Date.parse('2026-03-02T14:00:00.000Z');
const good = { expires_at: '2026-03-02T14:42:00.000Z', uses_left: 7, status: 'good' };

test('the door is a link where a token is needed', () => {
  expect(doorOf({ open: false, needs_token: true })).toBe('link');
  expect(doorOf({ open: false, needs_token: false })).toBe('here');
  expect(doorOf({ open: true, needs_token: false })).toBe('open');
});

describe('a link', () => {
  test('tells when it ends and by how many it was used', () => {
    expect(endsIn(good, nowMs)).toBe('42\u202fmin');
    expect(usedBy(10, 7)).toBe('3 of 10 devices');
    expect(usedBy(1, 1)).toBe('0 of 1 device');
    expect(usedBy(10, null)).toBe('any number of devices');
  });

  test('has ended when its time is over, it is used up, or it was taken back', () => {
    expect(whyEnded(good, nowMs)).toBeNull();
    expect(whyEnded({ ...good, uses_left: 0 }, nowMs)).toContain('As many devices');
    expect(whyEnded({ ...good, status: 'revoked' }, nowMs)).toBe('It was taken back.');
    expect(whyEnded(good, nowMs + 43 * 60_000)).toBe('Its time is over.');
    expect(whyEnded({ ...good, expires_at: null }, nowMs + 1e12)).toBeNull();
  });

  test('is as the tokens tell it, and taken back when none of them knows it', () => {
    const link = { ...good, id: 'a1' };
    expect(toldOf(link, null)).toBe(link);
    const told = { ...link, uses_left: 3 };
    expect(toldOf(link, [{ ...good, id: 'b2' }, told])).toBe(told);
    expect(whyEnded(toldOf(link, [{ ...good, id: 'b2' }]), nowMs)).toBe('It was taken back.');
  });

  test('keeps what is secret behind the # of the page that works here', () => {
    const link = 'https://10.0.0.2:8000/join#t=mst_j_x.k=abc';
    expect(pageOfWorker(link)).toBe('/worker#t=mst_j_x.k=abc');
    expect(pageOfWorker(null)).toBe('/worker');
    expect(hasPin(link)).toBe(true);
    expect(hasPin('https://lab.example/join#t=mst_j_k')).toBe(false);
  });
});

test('the commands that let others join have the present port', () => {
  const serve = 'muster serve --host 0.0.0.0 --tls self-signed';
  expect(openingCommands('8000')[1]).toBe(serve);
  expect(openingCommands('')[1]).toBe(serve);
  expect(openingCommands('37019')).toEqual([
    'muster token create --kind admin',
    'muster serve --host 0.0.0.0 --port 37019 --tls self-signed',
  ]);
});

describe('what stands in the way of a phone', () => {
  const address = 'https://10.0.0.2:8000';

  test('is nothing with a certificate that browsers trust', () => {
    expect(hindrances({ address, onlyHere: false, isPinned: false })).toEqual([]);
  });

  test('is the warning of a certificate that the coordinator made', () => {
    const [only, ...more] = hindrances({ address, onlyHere: false, isPinned: true });
    expect(only).toContain('warns of the certificate');
    expect(more).toEqual([]);
  });

  test('is what a browser keeps back over plain HTTP', () => {
    const told = hindrances({ address: 'http://lab:8000', onlyHere: false, isPinned: false });
    expect(told.join()).toContain('Over plain HTTP a phone keeps back its battery');
  });

  test('is nothing but the address where only this machine reaches it', () => {
    const told = hindrances({ address: 'http://127.0.0.1:8000', onlyHere: true, isPinned: true });
    expect(told).toHaveLength(1);
    expect(told[0]).toContain('Only this machine');
  });
});

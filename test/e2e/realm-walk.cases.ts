// The walk over objects that two jobs share, in a hardened realm (`test/fixtures/planted-faults/`): which objects
// it must report and which it must accept. The same cases for every place in which children live.

import { describe, expect, test } from 'vitest';

export interface WalkReport {
  readonly faults: Readonly<Record<string, readonly string[]>>;
  readonly isNoticed: Readonly<Record<string, boolean>>;
}

export function realmWalkCases(place: string, report: WalkReport): void {
  describe(`in ${place}`, () => {
    faultCases(report);
    fingerprintCases(report);
  });
}

function faultCases(report: WalkReport): void {
  describe('two jobs that share', () => {
    const open = 'is not frozen: properties can be added';
    const strange = 'is frozen but not known as a part of the language';
    const expected: Readonly<Record<string, string>> = {
      'an object': open,
      'an array': open,
      'a function of ours': open,
      'an object that is sealed': 'is not frozen: "a" can change',
      'a frozen function of ours': strange,
      'a frozen function of the host': strange,
      'a frozen class of the host': strange,
      'a frozen instance of a class': `${strange}, nor is its prototype`,
      'a frozen object with a getter': strange,
      'a frozen Map': 'is a Map',
      'a frozen Set': 'is a Set',
      'a frozen WeakMap': 'is a WeakMap',
      'a frozen WeakSet': 'is a WeakSet',
      'a frozen Date': 'is a Date',
      'a frozen RegExp': 'is a RegExp with a lastIndex',
      'a frozen buffer': 'is a buffer of bytes',
      'a frozen view': 'is a view on bytes',
      'an array of bytes': open,
      'a frozen Promise': 'is a Promise',
      'a frozen generator': 'is a generator',
      'a frozen iterator of an array': strange,
      'a Proxy of what is frozen': 'is a Proxy',
      'the clock of the host': strange,
    };
    test.each(Object.entries(expected))('%s are told so', (name, reason) => {
      expect(report.faults[name]).toContain(`b is shared by two jobs and ${reason}`);
    });

    test.each([
      ['something behind a symbol', `b[Symbol(key)] is shared by two jobs and ${open}`],
      ['something behind a prototype', `b.[[Prototype]] is shared by two jobs and ${open}`],
      ['something behind a getter', `b.a (getter) is shared by two jobs and ${open}`],
      ['something inside of two Maps', `b (contents) is shared by two jobs and ${open}`],
    ])('%s are told the way to it', (name, sentence) => {
      expect(report.faults[name]).toContain(sentence);
    });

    test.each([
      'frozen plain data',
      'an intrinsic',
      'the clockless Date of programs',
      'a text',
      'two objects that look the same',
    ])('%s are told nothing', (name) => {
      expect(report.faults[name]).toEqual([]);
    });
  });
}

function fingerprintCases(report: WalkReport): void {
  describe('the fingerprint', () => {
    const { nothing, ...changes } = report.isNoticed;

    test('is the same when nothing has changed', () => {
      expect(nothing).toBe(false);
    });

    test.each(Object.entries(changes))('notices %s', (_name, isNoticed) => {
      expect(isNoticed).toBe(true);
    });
  });
}

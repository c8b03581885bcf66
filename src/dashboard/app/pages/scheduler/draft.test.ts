import { describe, expect, it } from 'vitest';
import {
  addressOf,
  changeTo,
  differenceOf,
  draftOf,
  isSame,
  type Setting,
  shareOf,
  shareText,
  sliderEnd,
  withWeight,
} from './draft.ts';

const inForce: Setting = {
  algorithm: 'edas',
  weighting: 'manual',
  weights: { cpu: 0.2, memory: 0.2, throughput: 0.2, failure_rate: 0.2, latency: 0.2 },
};

const asked = (address: string): Setting => draftOf(new URLSearchParams(address), inForce);

function written(draft: Setting): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(addressOf(draft, inForce))) {
    if (value !== null) query.set(name, value);
  }
  return query.toString();
}

describe('the draft in the address', () => {
  it('is what is in force where the address says nothing', () => {
    expect(isSame(asked(''), inForce)).toBe(true);
    expect(written(asked(''))).toBe('');
  });

  it('comes back as it was written', () => {
    const draft = withWeight({ ...inForce, algorithm: 'aras' }, 'battery', 0.35);
    expect(written(draft)).toContain('algorithm=aras');
    expect(isSame(asked(written(draft)), draft)).toBe(true);
  });

  it('keeps a weight that was switched off, and even none at all', () => {
    const off = withWeight(inForce, 'cpu', 0);
    expect(isSame(asked(written(off)), off)).toBe(true);
    const none = ['cpu', 'memory', 'throughput', 'failure_rate', 'latency'].reduce(
      (draft, id) => withWeight(draft, id, 0),
      inForce,
    );
    expect(isSame(asked(written(none)), none)).toBe(true);
  });

  it('is taken out when it is again what is in force', () => {
    expect(Object.values(addressOf(inForce, inForce)).every((value) => value === null)).toBe(true);
  });

  it('ignores what no coordinator would take', () => {
    const draft = asked('algorithm=best&weighting=magic&cpu=-1&memory=lots&load=1e9');
    expect(isSame(draft, inForce)).toBe(true);
  });
});

describe('weights', () => {
  it('are told as shares of their sum, and as off at 0', () => {
    const weights = { cpu: 3, memory: 1 };
    expect(shareText(shareOf(weights, 'cpu'))).toBe('75\u202f%');
    expect(shareText(shareOf(weights, 'battery'))).toBe('off');
    expect(shareOf({}, 'cpu')).toBe(0);
  });

  it('have no digits of the steps that made them', () => {
    expect(withWeight(inForce, 'cpu', 0.1 + 0.2).weights['cpu']).toBe(0.3);
  });

  it('end at a half, and further only where one is larger', () => {
    expect(sliderEnd(inForce.weights)).toBe(0.5);
    expect(sliderEnd(inForce.weights, { cpu: 3 })).toBe(5);
    expect(sliderEnd({ cpu: 0.6 })).toBe(1);
    expect(sliderEnd({})).toBe(0.5);
  });

  it('are all named in what is asked of the coordinator', () => {
    expect(Object.keys(changeTo(inForce).weights)).toHaveLength(9);
    expect(changeTo(inForce).weights['energy']).toBe(0);
  });
});

describe('the difference to what is in force', () => {
  it('is empty when there is none', () => {
    expect(differenceOf(inForce, inForce)).toBe('');
  });

  it('names the algorithm and the weights that were changed', () => {
    const draft = withWeight({ ...inForce, algorithm: 'wrr' }, 'battery', 1);
    expect(differenceOf(draft, inForce)).toBe('wrr instead of edas and battery 50\u202f%');
  });

  it('counts many weights, and says that entropy makes them', () => {
    const many = ['cpu', 'memory', 'latency', 'load'].reduce(
      (draft, id) => withWeight(draft, id, 0.5),
      inForce,
    );
    expect(differenceOf(many, inForce)).toBe('4 other weights');
    expect(differenceOf({ ...many, weighting: 'entropy' }, inForce)).toBe('weights by entropy');
  });
});

// The colours are computed from the tokens: contrasts by the formula of WCAG 2.2, and how far apart the states are
// for those who see fewer colours (Machado and others 2009, full severity; distance in OKLab times 100, of which two
// are just seen).

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

type Triple = readonly [number, number, number];
type Tokens = ReadonlyMap<string, Triple>;

const sheet = readFileSync(join(import.meta.dirname, 'tokens.css'), 'utf8');
const light = tokensIn(/:root \{([^}]*)\}/);
const dark = new Map([...light, ...tokensIn(/:root\[data-theme="dark"\] \{([^}]*)\}/)]);
const themes = [
  ['light', light],
  ['dark', dark],
] as const;

function tokensIn(block: RegExp): Tokens {
  const [, text = ''] = block.exec(sheet)!;
  const found = text.matchAll(/--([\w-]+): oklch\(([\d.]+) ([\d.]+) ([\d.]+)\)/g);
  return new Map([...found].map(([, name, l, c, h]) => [name!, linearOf(+l!, +c!, +h!)]));
}

/** OKLCH to linear sRGB, clipped and rounded as a screen shows it. */
function linearOf(l: number, c: number, h: number): Triple {
  const angle = (h * Math.PI) / 180;
  const [a, b] = [c * Math.cos(angle), c * Math.sin(angle)];
  const long = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const middle = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (l - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return onScreen([
    4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * middle + 1.707614701 * short,
  ]);
}

function onScreen(rgb: Triple): Triple {
  return each(rgb, (value) => {
    const clipped = Math.min(1, Math.max(0, value));
    const coded = clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * clipped ** (1 / 2.4) - 0.055;
    const shown = Math.round(coded * 255) / 255;
    return shown <= 0.04045 ? shown / 12.92 : ((shown + 0.055) / 1.055) ** 2.4;
  });
}

function each([r, g, b]: Triple, change: (value: number) => number): Triple {
  return [change(r), change(g), change(b)];
}

function contrast(a: Triple, b: Triple): number {
  const [x, y] = [a, b].map(([red, green, blue]) => 0.2126 * red + 0.7152 * green + 0.0722 * blue);
  return (Math.max(x!, y!) + 0.05) / (Math.min(x!, y!) + 0.05);
}

function labOf([r, g, b]: Triple): Triple {
  const long = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const middle = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const short = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * long + 0.793617785 * middle - 0.0040720468 * short,
    1.9779984951 * long - 2.428592205 * middle + 0.4505937099 * short,
    0.0259040371 * long + 0.7827717662 * middle - 0.808675766 * short,
  ];
}

const sights = {
  normal: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  protan: [
    0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998,
  ],
  deutan: [
    0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881,
  ],
  tritan: [
    1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039,
  ],
} as const;
type Sight = keyof typeof sights;

function seen([r, g, b]: Triple, sight: Sight): Triple {
  const m = sights[sight];
  const row = (at: number): number => m[at]! * r + m[at + 1]! * g + m[at + 2]! * b;
  return each([row(0), row(3), row(6)], (value) => Math.min(1, Math.max(0, value)));
}

function distance(a: Triple, b: Triple, sight: Sight): number {
  const [x, y] = [labOf(seen(a, sight)), labOf(seen(b, sight))];
  return 100 * Math.hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
}

const inked = ['running', 'completed', 'failed', 'attention', 'draining'];
const shapes = [
  'running',
  'completed',
  'failed',
  'assigned',
  'pending',
  'cancelled',
  'attention',
  'draining',
  'line-strong',
];

test.each(themes)('%s: text can be read on what it stands on', (_name, tokens) => {
  const low: string[] = [];
  const check = (text: string, ground: string, least: number): void => {
    const found = contrast(tokens.get(text)!, tokens.get(ground)!);
    if (found < least) low.push(`${text} on ${ground}: ${found.toFixed(2)}`);
  };
  for (const ground of ['surface', 'bg', 'sunken']) {
    for (const ink of ['ink', 'ink-2', 'ink-3']) check(ink, ground, 4.5);
  }
  for (const state of inked) {
    for (const ground of ['surface', 'bg']) check(`${state}-ink`, ground, 6.5);
    check(`${state}-ink`, `${state}-wash`, 5.95);
  }
  // The primary button, and the one that destroys.
  check('bg', 'ink', 4.5);
  check('surface', 'failed', 4.5);
  expect(low).toEqual([]);
});

test.each(themes)('%s: shapes that mean something stand out', (_name, tokens) => {
  const low = shapes.flatMap((shape) =>
    ['surface', 'bg'].flatMap((ground) => {
      const found = contrast(tokens.get(shape)!, tokens.get(ground)!);
      return found < 2.995 ? [`${shape} on ${ground}: ${found.toFixed(2)}`] : [];
    }),
  );
  expect(low).toEqual([]);
});

test.each([
  ['light', light, { normal: 30, protan: 21, deutan: 12.5, tritan: 35 }],
  ['dark', dark, { normal: 30, protan: 9.9, deutan: 23, tritan: 33 }],
] as const)('%s: failed is told from completed by everybody', (_name, tokens, wanted) => {
  for (const [sight, least] of Object.entries(wanted)) {
    const found = distance(tokens.get('failed')!, tokens.get('completed')!, sight as Sight);
    expect(found, sight).toBeGreaterThan(least - 0.5);
    expect(found, sight).toBeLessThan(least + 1);
  }
});

test.each(themes)(
  '%s: states that meet as plain fills are far apart for everybody',
  (_name, tokens) => {
    const fills = ['running', 'completed', 'failed'];
    for (const [place, one] of fills.entries()) {
      for (const other of fills.slice(place + 1)) {
        for (const sight of Object.keys(sights) as Sight[]) {
          const found = distance(tokens.get(one)!, tokens.get(other)!, sight);
          expect(found, `${one} and ${other}, ${sight}`).toBeGreaterThan(8);
        }
      }
    }
  },
);

test.each([
  ['running and draining, protan, in the dark', dark, 'running', 'draining', 'protan', 4.4],
  ['failed and attention, deutan, in the light', light, 'failed', 'attention', 'deutan', 8],
] as const)(
  'the weakest pair is %s, and never meets as plain fills',
  (_name, tokens, a, b, sight, known) => {
    expect(distance(tokens.get(a)!, tokens.get(b)!, sight)).toBeCloseTo(known, 0);
  },
);

test('every colour of the light theme has its pair in the dark one', () => {
  const own = tokensIn(/:root\[data-theme="dark"\] \{([^}]*)\}/);
  expect([...own.keys()]).toEqual([...light.keys()]);
});

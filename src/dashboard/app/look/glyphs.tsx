// One shape for each state, told apart without colour, and outlines of the kinds of devices.

import type { ComponentChildren } from 'preact';
import type { DeviceKind, ShownState } from './states.ts';
import { stateInWords } from '../text/worker-states.ts';

export type GlyphName = ShownState | 'attention' | 'held';

const drawings: Readonly<Record<GlyphName, () => ComponentChildren>> = {
  pending: () => (
    <circle
      cx="7"
      cy="7"
      r="5"
      fill="none"
      stroke="var(--ink-3)"
      stroke-width="1.6"
      stroke-dasharray="2.2 1.72"
    />
  ),
  assigned: () => (
    <>
      <circle cx="7" cy="7" r="5" fill="none" stroke="var(--assigned)" stroke-width="1.8" />
      <circle cx="7" cy="7" r="1.9" fill="var(--assigned)" />
    </>
  ),
  running: () => (
    <>
      <circle cx="7" cy="7" r="5" fill="none" stroke="var(--running)" stroke-width="1.8" />
      <path d="M7 3.5a3.5 3.5 0 0 1 0 7z" fill="var(--running)" />
    </>
  ),
  completed: () => (
    <>
      <circle cx="7" cy="7" r="6" fill="var(--completed)" />
      <path d="M4.2 7.2l2 2 3.6-4" {...cut} />
    </>
  ),
  failed: () => (
    <>
      <rect x="1.2" y="1.2" width="11.6" height="11.6" rx="2.4" fill="var(--failed)" />
      <path d="M4.6 4.6l4.8 4.8m0-4.8l-4.8 4.8" {...cut} />
    </>
  ),
  cancelled: () => (
    <>
      <circle cx="7" cy="7" r="5" fill="none" stroke="var(--cancelled)" stroke-width="1.6" />
      <path d="M3.6 10.4l6.8-6.8" stroke="var(--cancelled)" stroke-width="1.6" />
    </>
  ),
  held: () => (
    <>
      <circle cx="7" cy="7" r="5" fill="none" stroke="var(--ink-2)" stroke-width="1.4" />
      <path
        d="M5.6 4.8v4.4m2.8-4.4v4.4"
        stroke="var(--ink-2)"
        stroke-width="1.5"
        stroke-linecap="round"
      />
    </>
  ),
  resting: () => drawings.held(),
  online: () => (
    <circle cx="7" cy="7" r="4.4" fill="none" stroke="var(--completed)" stroke-width="2.4" />
  ),
  busy: () => <rect x="2" y="2" width="10" height="10" rx="2" fill="var(--running)" />,
  waiting: () => (
    <>
      <circle cx="7" cy="7" r="5" fill="none" stroke="var(--attention)" stroke-width="1.6" />
      <path
        d="M7 4.2V7l1.8 1.4"
        fill="none"
        stroke="var(--attention)"
        stroke-width="1.5"
        stroke-linecap="round"
      />
    </>
  ),
  draining: () => <path d="M2 3.2h10L7 12z" fill="var(--draining)" />,
  out: () => (
    <path
      d="M2.6 3.6h8.8L7 11.2z"
      fill="none"
      stroke="var(--draining)"
      stroke-width="1.5"
      stroke-linejoin="round"
    />
  ),
  quarantined: () => (
    <>
      <path d="M7 .8L13.2 7 7 13.2.8 7z" fill="var(--attention)" />
      <path d="M7 4.1v3.4m0 1.7v.3" {...cut} />
    </>
  ),
  offline: () => (
    <circle cx="7" cy="7" r="5" fill="none" stroke="var(--ink-3)" stroke-width="1.3" />
  ),
  attention: () => (
    <>
      <path
        d="M7 1.2l6.2 11H.8z"
        fill="var(--attention)"
        stroke="var(--attention)"
        stroke-linejoin="round"
      />
      <path d="M7 5.2v3.2m0 1.9v.2" {...cut} />
    </>
  ),
};

const cut = {
  fill: 'none',
  stroke: 'var(--surface)',
  'stroke-width': '1.6',
  'stroke-linecap': 'round',
  'stroke-linejoin': 'round',
} as const;

export function Glyph({ name, size = 14 }: { readonly name: GlyphName; readonly size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 14 14" aria-hidden="true">
      {drawings[name]()}
    </svg>
  );
}

/** A state in words, its shape before it. */
export function State({
  name,
  text = stateInWords(name),
}: {
  readonly name: GlyphName;
  readonly text?: ComponentChildren;
}) {
  return (
    <span class="state">
      <Glyph name={name} />
      <span>{text}</span>
    </span>
  );
}

const outlines: Readonly<Record<DeviceKind, string>> = {
  pc: 'M2.5 2h9A1.5 1.5 0 0 1 13 3.5v5a1.5 1.5 0 0 1-1.5 1.5h-9A1.5 1.5 0 0 1 1 8.5v-5A1.5 1.5 0 0 1 2.5 2zM4.5 12.5h5',
  phone:
    'M5.3 1h3.4a1.8 1.8 0 0 1 1.8 1.8v8.4a1.8 1.8 0 0 1-1.8 1.8H5.3a1.8 1.8 0 0 1-1.8-1.8V2.8A1.8 1.8 0 0 1 5.3 1zM6.3 11h1.4',
  browser:
    'M2.8 2h8.4A1.8 1.8 0 0 1 13 3.8v6.4a1.8 1.8 0 0 1-1.8 1.8H2.8A1.8 1.8 0 0 1 1 10.2V3.8A1.8 1.8 0 0 1 2.8 2zM1 5h12M3 3.5h.100',
};

export function KindGlyph({ kind }: { readonly kind: DeviceKind }) {
  return <Icon path={outlines[kind]} size={14} />;
}

/** Drawn in the colour of the text, in a square of 14. */
export function Icon({ path, size = 16 }: { readonly path: string; readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 14 14"
      fill="none"
      stroke="currentColor"
      stroke-width="1.3"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={path} />
    </svg>
  );
}

/** What the latin letters of the font do not have is drawn. */
export const icons = {
  overview: 'M2 8l5-5 5 5M3.5 7v5h7V7',
  jobs: 'M2 3h10M2 7h10M2 11h6',
  workers: 'M2 2h4v4H2zM8 2h4v4H8zM2 8h4v4H2zM8 8h4v4H8z',
  scheduler: 'M2 4h10M2 10h10M5 2v4M9 8v4',
  evaluation: 'M2 12V7M6 12V3M10 12V5',
  timeline: 'M2 3h6M5 7h7M3 11h5',
  recovery: 'M11.5 7a4.5 4.5 0 1 1-1.4-3.25M10.5 1.5v2.5H8',
  submit: 'M7 2v10M2 7h10',
  connect: 'M2 2h4v4H2zM8 2h4v4H8zM2 8h4v4H2zM8 8h1.5M12 8v1.5M8 12h4',
  settings:
    'M7 9a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM7 1v2M7 11v2M1 7h2M11 7h2M2.8 2.8l1.4 1.4M9.8 9.8l1.4 1.4M11.2 2.8L9.8 4.2M4.2 9.8l-1.4 1.4',
  more: 'M3 7h.100M7 7h.100M11 7h.100',
  pause: 'M5 3v8M9 3v8',
  play: 'M4.5 3v8l6.5-4z',
  close: 'M3.5 3.5l7 7M10.5 3.5l-7 7',
  find: 'M6.2 10.4a4.2 4.2 0 1 0 0-8.4 4.2 4.2 0 0 0 0 8.4zM9.4 9.4L12 12',
  up: 'M7 11.5v-9M3.5 6L7 2.5 10.5 6',
  down: 'M7 2.5v9M3.5 8L7 11.5 10.5 8',
  right: 'M2.5 7h9M8 3.5L11.5 7 8 10.5',
  left: 'M11.5 7h-9M6 3.5L2.5 7 6 10.5',
  open: 'M4 5.5l3 3 3-3',
  copy: 'M5 5h6.5v6.5H5zM9 5V2.5H2.5V9H5',
  check: 'M3 7.5l2.8 2.8L11 4.5',
} as const;

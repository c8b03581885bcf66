// Where the payloads are in bodies and frames, and how large the rest may be.

import { everyElement, Place, type PlaceToCut, type Step } from '../protocol/json-places.ts';
import type { Limits } from '../protocol/limits.ts';
import type { ReadingRules } from './json-reader.ts';

const ofReports: readonly PlaceToCut[] = [
  { steps: ['results', everyElement, 'value'], cut: 'value' },
  { steps: ['checkpoints', everyElement, 'state'], cut: 'value' },
];

const reportPlaces = Place.tree(ofReports);

/** A frame is one message, or an array of messages. */
const framePlaces = Place.tree([
  ...ofReports,
  ...ofReports.map(({ steps, cut }) => ({ steps: [everyElement as Step, ...steps], cut })),
]);

/** Records, which may hold one message, or an array of messages. */
const ofRecords: readonly (readonly Step[])[] = [
  [everyElement, everyElement],
  [everyElement, everyElement, everyElement],
];
const trunkPlaces = Place.tree(
  ofRecords.flatMap((record) =>
    ofReports.map(({ steps, cut }) => ({ steps: [...record, ...steps], cut })),
  ),
);
/** Beside one frame of a worker: what is gathered with it. */
const gatheredBytes = 2 * 1024 * 1024;

/** Priorities are no payload, but there may be as many as inputs, so they are cut out too. */
const submissionPlaces = Place.tree([
  { steps: ['inputs'], cut: 'list' },
  { steps: ['task_priorities'], cut: 'list' },
  { steps: ['shared'], cut: 'value' },
]);

export function frameRules(limits: Limits): ReadingRules {
  return { ...outlineRules(limits), places: framePlaces };
}

/** Of the trunk of another member, which has looked at the single frames. */
export function trunkRules(limits: Limits): ReadingRules {
  const { mostOutlineBytes, mostOutlineValues, limitNames } = outlineRules(limits);
  return {
    places: trunkPlaces,
    mostOutlineBytes: mostOutlineBytes + gatheredBytes,
    mostOutlineValues: mostOutlineValues + gatheredBytes,
    limitNames,
  };
}

export function reportRules(limits: Limits): ReadingRules {
  return { ...outlineRules(limits), places: reportPlaces };
}

/** A heartbeat may have long lists of attempts, and has no payload. */
export function heartbeatRules(limits: Limits): ReadingRules {
  return { ...outlineRules(limits), places: null };
}

export function submissionRules(limits: Limits): ReadingRules {
  return { ...bodyRules(limits), places: submissionPlaces };
}

export function bodyRules({ bodyBytes, bodyValues }: Limits): ReadingRules {
  return {
    places: null,
    mostOutlineBytes: bodyBytes,
    mostOutlineValues: bodyValues,
    limitNames: ['body_bytes', 'body_values'],
  };
}

function outlineRules(limits: Limits): Omit<ReadingRules, 'places'> {
  return {
    mostOutlineBytes: limits.frameOutlineBytes,
    mostOutlineValues: limits.frameOutlineValues,
    limitNames: ['frame_outline_bytes', 'frame_outline_values'],
  };
}

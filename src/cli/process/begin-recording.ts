// Loads what records only where something is to be recorded.

import type { Logger } from 'pino';
import { settings as defaults } from '../settings/settings.ts';
import type { Recorded, Recording } from './recording.ts';

export interface RecordSettings {
  /** A file that does not exist yet: what the coordinator does is written there, as a trace. */
  readonly record?: string;
  readonly recordMb?: number;
}

/** Undefined: nothing is to be recorded. Throws `CommandFailure` when the file cannot be made. */
export async function beginRecording(
  coordinator: Recorded,
  { record: file, recordMb: mostMb = defaults.recordMb.defaultValue }: RecordSettings,
  about: { readonly folder: string; readonly version: string; readonly log: Logger },
): Promise<Recording | undefined> {
  if (file === undefined) return undefined;
  const { Recording } = await import('./recording.ts');
  return Recording.begin(coordinator, { file, mostMb, ...about });
}

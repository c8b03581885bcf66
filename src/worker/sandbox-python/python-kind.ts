// Programs in Python: CPython for WebAssembly, in a compartment that has nothing. Platform-free: bytes go in and
// outcomes come out. Each program has an interpreter of its own, because modules and what they keep are shared within
// one: a child that runs Python serves one job.

import {
  type GuestKind,
  type GuestProgram,
  GuestFault,
  type GuestSource,
} from '../sandbox/guest.ts';
import { checkDistribution, type Distribution } from './distribution.ts';
import { type Interpreter, type Said, startInterpreter, takeImage } from './interpreter.ts';
import { type Sha256, unwrapImage, wrapImage } from './memory-image.ts';
import { ProgramRuns } from './program-runs.ts';
import { readProgram } from './python-program.ts';
import { readFault } from './said-values.ts';
import { TaskClock } from './task-clock.ts';

export interface PythonParts {
  /** The files of the interpreter as they are published. */
  readonly files: Distribution;
  readonly sha256: Sha256;
  /** What `makePythonImage` gave; null, another one or a damaged one: the interpreter starts cold. */
  readonly image: Uint8Array | null;
  /** Milliseconds of a clock that only rises. */
  readonly now: () => number;
  /** What people who run the worker may want to know. */
  readonly note: (sentence: string) => void;
}

/** The realm is locked by now. Rejects when the files are not those that this code is for. */
export async function pythonKind(parts: PythonParts): Promise<GuestKind> {
  await checkDistribution(parts.files, parts.sha256);
  const image = parts.image === null ? null : await unwrapImage(parts.image, parts.sha256);
  if (parts.image !== null && image === null)
    parts.note('the image of the memory is not the right one');
  return { load: (source) => load(source, parts, image) };
}

/** The image of an interpreter that has started, as a file. The process that makes it runs no program. */
export async function makePythonImage(
  parts: Omit<PythonParts, 'image' | 'note'>,
): Promise<Uint8Array> {
  await checkDistribution(parts.files, parts.sha256);
  const { files, now } = parts;
  const fill = (bytes: Uint8Array) => void bytes.fill(0);
  const settings = { files, memoryMb: imageMemoryMb, clock: new TaskClock(now), fill };
  return wrapImage(await takeImage(settings), parts.sha256);
}

/** Its memory grows as little as it has to. */
const imageMemoryMb = 256;

async function load(
  source: GuestSource,
  parts: PythonParts,
  image: Uint8Array | null,
): Promise<GuestProgram> {
  const program = readProgram(source);
  const runs = new ProgramRuns(parts.now);
  const { files, note } = parts;
  const settings = { files, memoryMb: source.memoryMb, clock: runs.clock, fill: runs.fill };
  const interpreter = await started(settings, image, note);
  interpreter.connect(runs.ports);
  for (const { name, bytes } of program.packages) refuseFault(interpreter.install(name, bytes()));
  runs.restartRandom(source.jobId);
  const { text, functionName } = program;
  refuseFault(interpreter.load(text, functionName, source.shared, source.jobId));
  runs.serve(interpreter);
  return runs;
}

/** From the image, or without it when anything is wrong with that. */
async function started(
  settings: Parameters<typeof startInterpreter>[0],
  image: Uint8Array | null,
  note: (sentence: string) => void,
): Promise<Interpreter> {
  if (image === null) return startInterpreter(settings, null);
  try {
    return await startInterpreter(settings, image);
  } catch (error) {
    note(`the image of the memory is of no use: ${String(error)}`);
    return startInterpreter(settings, null);
  }
}

function refuseFault(said: Said): void {
  if (said.type === 'said' && said.text === '') return;
  if (said.type === 'said') throw readFault(said.text);
  const why = said.type === 'broken' ? said.why : 'it was interrupted';
  const message = `the program breaks the interpreter when it is loaded: ${why}`;
  throw new GuestFault('program_invalid', message);
}

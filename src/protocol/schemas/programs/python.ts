import { z } from 'zod';
import type { Limits } from '../../limits.ts';
import { closed } from '../fields.ts';
import { bytesField, sourceField } from './parts.ts';

const mostPackages = 200;
/** The platform for which packages with code of the machine must be made. */
export const wheelPlatform = 'pyemscripten_2026_0_wasm32';
const wheelForm =
  `must be the name of a wheel that runs anywhere (…-py3-none-any.whl) or is made for ${wheelPlatform}, ` +
  'like demo_pkg-1.0-py3-none-any.whl';
/** Distribution, version, an optional build, then the tags of Python, its interface and the platform. */
const wheel =
  /^[A-Za-z0-9._]{1,200}-[A-Za-z0-9._!+]{1,100}(?:-[0-9][A-Za-z0-9._]{0,50})?-([a-z0-9._]+)-([a-z0-9._]+)-([a-z0-9._]+)\.whl$/;

export function pythonProgram(limits: Limits) {
  const identifier = 'must be the name of a function of the module';
  const packages = `must be an array of at most ${mostPackages} objects like {"name": "demo_pkg-1.0-py3-none-any.whl", "content": {"$blob": "<sha256>"}}`;
  return closed({
    kind: z.literal('python'),
    source: sourceField(limits).describe('One module'),
    function: z
      .string(identifier)
      .regex(/^[A-Za-z_][A-Za-z0-9_]{0,199}$/, identifier)
      .exactOptional()
      .describe('Called for each task; default `run`'),
    packages: z
      .array(
        closed({ name: z.string(wheelForm).refine(isWheel, wheelForm), content: bytesField() }),
        packages,
      )
      .max(mostPackages, packages)
      .exactOptional()
      .describe('Wheels, installed in this order before the module is executed'),
  }).describe('Runs on workers that offer `python`');
}

/** Whether the interpreter of workers can take it. Tags may be several, with dots between. */
function isWheel(name: string): boolean {
  const [, python, abi, platforms] = wheel.exec(name) ?? [];
  if (platforms === undefined) return false;
  const has = (tags: string | undefined, tag: string) => tags?.split('.').includes(tag) === true;
  if (has(platforms, wheelPlatform)) return true;
  return has(platforms, 'any') && has(abi, 'none') && /(?:^|\.)py3/.test(python ?? '');
}

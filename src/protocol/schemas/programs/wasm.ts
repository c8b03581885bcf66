import { z } from 'zod';
import type { Limits } from '../../limits.ts';
import { wasmInputs, wasmOutputs } from '../../program.ts';
import { closed, integer, oneOf } from '../fields.ts';
import { argumentsField, bytesField, environmentField, filesField, isNameBelow } from './parts.ts';

/** What a module with addresses of 32 bits can have. */
const mostMemoryMb = 4096;
/** Where a program meets what belongs to its task. */
const ownFolder = 'muster';
const pathForm = `must be named by a path like /data/model.bin, not below /${ownFolder}`;

export function wasmProgram(limits: Limits) {
  return closed({
    kind: z.literal('wasm'),
    module: bytesField().describe('A WebAssembly module'),
    input: oneOf(wasmInputs).exactOptional().describe('How the input is handed over; default json'),
    output: oneOf(wasmOutputs).exactOptional().describe('What is made of its output; default json'),
    args: argumentsField(limits).exactOptional(),
    env: environmentField(limits).exactOptional(),
    files: filesField(isPath, pathForm).exactOptional().describe('By their paths'),
    memory_mb: integer(1, mostMemoryMb)
      .exactOptional()
      .describe('The most that its memory may grow to'),
  }).describe('Runs on workers that offer `wasm`');
}

function isPath(path: string): boolean {
  if (!path.startsWith('/') || !isNameBelow(path.slice(1))) return false;
  return path.split('/')[1] !== ownFolder;
}

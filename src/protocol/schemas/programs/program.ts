// A program, whatever its kind: which fields it may have follows from its `kind`.

import { z } from 'zod';
import type { Limits } from '../../limits.ts';
import { programWords } from '../../program.ts';
import { commandProgram } from './command.ts';
import { javascriptProgram } from './javascript.ts';
import { pythonProgram } from './python.ts';
import { wasmProgram } from './wasm.ts';

const kindSentence = `must be ${programWords.map((word) => JSON.stringify(word)).join(' or ')}`;

export function programField(limits: Limits) {
  return z
    .discriminatedUnion(
      'kind',
      [
        javascriptProgram(limits),
        wasmProgram(limits),
        pythonProgram(limits),
        commandProgram(limits),
      ],
      {
        error: (issue) =>
          issue.code === 'invalid_union'
            ? kindSentence
            : 'must be an object with kind, and what belongs to that kind',
      },
    )
    .meta({
      title: 'Program',
      examples: [
        { kind: 'javascript', source: 'export default (n) => n * n' },
        { kind: 'wasm', module: { $blob: exampleHash }, output: 'lines', args: ['--fast'] },
        { kind: 'python', source: 'def run(input, task):\n    return input * 2' },
        { kind: 'command', command: 'blender', args: ['-b', '-f', '{input.frame}'] },
      ],
    });
}

const exampleHash = 'b5d4045c3f466fa91fe2cc6abe79232a1a57cdf104f7a26e716e0a1e2789df78';

// Programs in Python: starts, calls and loops, in a process of its own that is hardened as a child is.
// Run: npm run bench -- python

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const measured = fileURLToPath(new URL('python-process.ts', import.meta.url));
/** The same loop as there. */
const nativeLoop = `
import time
def run(n):
    s = 0.0
    for i in range(n):
        s += i * 0.5 % 3
    return s
best = min((lambda t: (run(3_000_000), time.perf_counter() - t)[1])(time.perf_counter()) for _ in range(3))
import sys
print("numeric loop, 3 000 000 steps, python3 %s of this machine: %.0f ms" % (sys.version.split()[0], best * 1000))
`;

export function benchPython(print: (line: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'muster-python-'));
  try {
    for (const part of ['cold', 'from-image']) {
      const args = [measured, part, join(folder, 'image')];
      const own = spawnSync(process.execPath, args, { encoding: 'utf8' });
      if (own.status !== 0) throw new Error(`the measurement failed: ${own.stderr}`);
      print(own.stdout.trim());
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  const native = spawnSync('python3', ['-c', nativeLoop], { encoding: 'utf8' });
  print(native.status === 0 ? native.stdout.trim() : 'there is no python3 on this machine');
}

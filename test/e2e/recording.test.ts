// A coordinator that records: a real run of real workers becomes a trace, the trace tells nothing that it should not,
// and played again it takes as long as it did.

import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { algorithmContender } from '../../src/lab/contender.ts';
import { simulate } from '../../src/lab/simulation.ts';
import { readTrace } from '../../src/lab/trace/read-trace.ts';
import { Cluster } from '../support/cluster.ts';
import { runCli } from '../support/cli-process.ts';

const trace = 'night.trace.ndjson';
/** What nobody may find in a trace. */
const secrets = {
  job: 'payroll-of-march',
  client: 'grace',
  worker: 'adas-laptop',
  room: 'attic-left',
  label: 'which-room',
  input: 'input-4711',
  result: 'result-0815',
  error: 'no-such-salary',
};

/** A second coordinator, in the folder of the first. */
const otherServe = 'serve --store sqlite::memory: --data-dir other --record'
  .split(' ')
  .concat(trace);

/** Sleeps as long as its input says, and hardly computes. */
const sleeping = {
  kind: 'javascript',
  source: `export default async ({ ms, word }) => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    if (word === 'fail') throw new RangeError('${secrets.error}');
    return '${secrets.result}' + ms;
  }`,
} as const;

describe('muster serve --record', () => {
  test('a real run, played again under its algorithm, takes as long as it did, and tells no names', async () => {
    const cluster = await Cluster.start({
      flags: ['--record', trace, '--heartbeat-seconds', '1', '--algorithm', 'least_loaded'],
    });
    const flags = ['--slots', '2', '--json', '--label', `${secrets.label}=${secrets.room}`];
    for (const name of [secrets.worker, `${secrets.worker}-2`]) {
      const place = ['--name', name, '--state-dir', join(cluster.folder, name)];
      const worker = cluster.run(['worker', cluster.url, ...place, ...flags]);
      await worker.line((line) => /Connected as worker/.exec(line)?.[0]);
    }
    const about = { program: sleeping, client_id: secrets.client, name: secrets.job };
    const requirements = { labels: { [secrets.label]: secrets.room } };
    const failing = await cluster.client.submit({
      ...about,
      inputs: [{ ms: 1, word: 'fail' }],
      max_attempts: 1,
    });
    await Array.fromAsync(cluster.client.results(failing.id, { follow: true }));
    // Of known lengths: from 100 to 700 ms, 400 on average.
    const inputs = Array.from({ length: 60 }, (_, i) => ({
      ms: 100 + ((i * 7) % 61) * 10,
      word: secrets.input,
    }));
    const job = await cluster.client.submit({ ...about, requirements, inputs });
    await Array.fromAsync(cluster.client.results(job.id, { follow: true }));
    const ids = [job.id, failing.id, ...(await cluster.client.workers()).map(({ id }) => id)];
    expect(ids).toHaveLength(4);
    expect((await cluster.stop()).code).toBe(0);

    const file = join(cluster.folder, trace);
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = readFileSync(file, 'utf8');
    expect(text.endsWith('"why":"stopped"}\n')).toBe(true);
    for (const secret of [...Object.values(secrets), ...ids, 'RangeError', 'setTimeout', 'fail"']) {
      expect(text).not.toContain(secret);
    }

    const read = readTrace(trace, cluster.folder);
    expect(read).toMatchObject({ scenario: 'night', algorithm: 'least_loaded' });
    expect(read.summary).toMatchObject({ workers: 2, jobs: 2, tasks: 61, tasks_completed: 60 });
    const contender = algorithmContender(read.algorithm);
    const { simulation } = await simulate({ scenario: read, seed: 1, contender, version: 'test' });
    const { makespan_seconds: replayed } = simulation.measures;
    const error = replayed! / read.summary.makespan_seconds! - 1;
    expect(Math.abs(error)).toBeLessThan(0.15);

    const options = { folder: cluster.folder };
    const compared = await runCli(
      ['compare', trace, '--algorithms', 'fifo,edas', '--seeds', '2'],
      options,
    );
    expect(compared.stdout).toMatch(/^night \(2 seeds\)\n/);
    expect(compared.stderr).toMatch(/night: In life it took \d+\.\d s under least_loaded\./);
    expect(compared.stderr).toContain('1 of 61 tasks did not complete in it');
    expect(compared.code).toBe(0);
  });

  test('a file that is there is left as it is, and the coordinator does not start', async () => {
    const cluster = await Cluster.start();
    writeFileSync(join(cluster.folder, trace), 'mine');
    const second = cluster.run([...otherServe, '--port', '0']);
    expect((await second.ended).code).toBe(2);
    expect(second.stderr).toContain(
      `\\"${trace}\\" exists already, and a recording overwrites nothing`,
    );
    expect(readFileSync(join(cluster.folder, trace), 'utf8')).toBe('mine');
  });

  test('a coordinator that cannot start leaves no file in the way of its next start', async () => {
    const cluster = await Cluster.start();
    const taken = new URL(cluster.url).port;
    const second = cluster.run([...otherServe, '--port', taken]);
    expect((await second.ended).code).toBe(5);
    expect(existsSync(join(cluster.folder, trace))).toBe(false);
  });
});

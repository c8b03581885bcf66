import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { RecordOf } from './trace-format.ts';
import { createTraceFile, type TraceFile, TraceWriter } from './trace-writer.ts';

function telemetry(at_ms: number): RecordOf<'telemetry'> {
  return {
    type: 'telemetry',
    at_ms,
    worker: 1,
    cpu_load_percent: 50,
    ram_available_mb: null,
    battery_level_percent: null,
    battery_charging: null,
    network_latency_ms: null,
    network_bandwidth_mbps: null,
  };
}

function ended(at_ms: number): RecordOf<'job_ended'> {
  return { type: 'job_ended', at_ms, job: at_ms, status: 'completed' };
}

/** A file whose writes wait until they are let go, or fail. */
class HeldFile implements TraceFile {
  text = '';
  isClosed = false;
  fault: Error | null = null;
  #letGo: () => void = () => {};
  readonly #free = new Promise<void>((resolve) => {
    this.#letGo = resolve;
  });

  async appendFile(text: string | Uint8Array): Promise<void> {
    await this.#free;
    if (this.fault !== null) throw this.fault;
    this.text += String(text);
  }

  close(): Promise<void> {
    this.isClosed = true;
    return Promise.resolve();
  }

  letGo(): void {
    this.#letGo();
  }

  get records(): readonly { readonly type: string }[] {
    return this.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string });
  }
}

function writerOn(file: TraceFile, options: Partial<ConstructorParameters<typeof TraceWriter>[1]>) {
  const ends: ('full' | Error)[] = [];
  const writer = new TraceWriter(file, {
    mostBytes: 1e6,
    onEnd: (why) => ends.push(why),
    ...options,
  });
  return { writer, ends };
}

describe('TraceWriter', () => {
  test('a file for its owner alone has all that was written, and an end', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-trace-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, 'a.ndjson');
    const { writer, ends } = writerOn(await createTraceFile(path), {});
    for (let at = 1; at <= 3; at++) writer.write(ended(at), at);
    await writer.end(4);
    await writer.end(5);
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      ended(1),
      ended(2),
      ended(3),
      { type: 'end', at_ms: 4, why: 'stopped' },
    ]);
    expect(ends).toEqual([]);
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
    await expect(createTraceFile(path)).rejects.toMatchObject({ code: 'EEXIST' });
  });

  test('at its bound it closes the file with a record that says so, and takes nothing more', async () => {
    const file = new HeldFile();
    file.letGo();
    const { writer, ends } = writerOn(file, { mostBytes: 2000 });
    for (let at = 1; at <= 100; at++) writer.write(ended(at), at);
    expect(ends).toEqual(['full']);
    await writer.end(200);
    expect(file.text.length).toBeLessThan(2000);
    expect(file.records.length).toBeGreaterThan(5);
    expect(file.records.at(-1)).toMatchObject({ type: 'end', why: 'full' });
    expect(file.isClosed).toBe(true);
  });

  test('while the disk is slow telemetry is left out first, then all, and how much is told', async () => {
    const file = new HeldFile();
    const { writer } = writerOn(file, { marks: { telemetry: 300, all: 600 } });
    for (let at = 1; at <= 20; at++) {
      writer.write(telemetry(at), at);
      writer.write(ended(at), at);
    }
    file.letGo();
    await writer.end(30);
    const kept = (type: string) => file.records.filter((record) => record.type === type).length;
    expect(kept('telemetry')).toBeLessThan(kept('job_ended'));
    expect(kept('job_ended')).toBeLessThan(20);
    expect(file.records.at(-2)).toEqual({
      type: 'left_out',
      at_ms: 30,
      telemetry: 20 - kept('telemetry'),
      others: 20 - kept('job_ended'),
    });
  });

  test('a write that fails ends the recording, is told once, and throws at nobody', async () => {
    const file = new HeldFile();
    file.fault = new Error('no space left on device');
    const { writer, ends } = writerOn(file, {});
    writer.write(ended(1), 1);
    file.letGo();
    await writer.end(2);
    writer.write(ended(3), 3);
    await writer.end(4);
    expect(ends).toEqual([file.fault]);
    expect(file.isClosed).toBe(true);
    expect(file.text).toBe('');
  });
});

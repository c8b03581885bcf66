// Texts that a hostile sender or a broken program could send: messages and bodies of the interface,
// made by a grammar and then spoiled in a few places. Everything follows from the random numbers
// handed in.

import type { Prng } from '../../../src/simulator/prng.ts';

const program = { kind: 'javascript', source: 'export default (n) => n' };
const keys = [
  'type',
  'results',
  'value',
  'state',
  'inputs',
  'token',
  '__proto__',
  'toString',
  'é',
  '',
];

/** What a frame may have, nearly. */
const longest = 15_000_000;

/** Marks where text stands that no value could be written as. */
const raw = (text: string) => `\u0000${text}\u0000`;

export class HostileText {
  private readonly chance: Prng;
  /** Rarely, things are as large as they can be sent. */
  private isLarge: boolean;
  private isFlat = false;

  constructor(chance: Prng) {
    this.chance = chance;
    this.isLarge = chance.chance(0.1);
  }

  /** Of a socket: one message, or several. */
  frame(): Buffer {
    const { chance } = this;
    const messages = Array.from({ length: chance.integer(1, 4) }, () => this.message());
    return this.spoiled(chance.chance(0.4) ? messages[0]! : messages);
  }

  hello(): Buffer {
    return this.spoiled(this.helloMessage());
  }

  /** The body for an address. */
  body(path: string): Buffer {
    return this.spoiled(this.bodyValue(path));
  }

  /** The job without inputs in the first line, one input in each of the others. */
  lines(): Buffer {
    const count = this.count(50);
    const inputs = Array.from({ length: count }, () => JSON.stringify(this.value(1)));
    return this.broken(`${this.written({ program })}\n${inputs.join('\n')}\n`);
  }

  private bodyValue(path: string): object {
    if (path.endsWith('/report')) {
      return { results: this.entries('value'), checkpoints: this.entries('state') };
    }
    if (path.endsWith('/heartbeat')) return { telemetry: this.value(1), running: this.entries('') };
    if (path.endsWith('/claim')) return { max: this.value(1), wait_seconds: 0 };
    if (path.endsWith('/workers')) {
      return { type: 'pc', platform: 'linux', labels: this.value(2), telemetry: this.value(1) };
    }
    if (path.endsWith('/config')) return { weights: this.value(2), algorithm: this.value(0) };
    return {
      program,
      inputs: this.chance.chance(0.3) ? this.value(2) : this.list(() => this.value(2)),
      ...(this.chance.chance(0.3) ? { task_priorities: this.list(() => this.value(0)) } : {}),
      requirements: { platform: ['nowhere'] },
    };
  }

  private message(): object {
    switch (this.chance.integer(0, 6)) {
      case 0:
        return { type: 'result', results: this.entries('value') };
      case 1:
        return { type: 'checkpoint', checkpoints: this.entries('state') };
      case 2:
        return { type: 'progress', progress: this.entries('message') };
      case 3:
        return { type: 'failure', failures: this.entries('error_message') };
      case 4:
        return this.helloMessage();
      case 5:
        return { type: this.value(0) };
      default:
        return {
          type: 'heartbeat',
          heartbeat_id: 1,
          telemetry: this.value(2),
          assign_sequence: 0,
          running: this.entries('progress'),
        };
    }
  }

  private helloMessage(): object {
    const device = { type: 'pc', platform: 'linux', ...this.maybe('labels', 2) };
    return { type: 'hello', protocol: 1, device, attempts: this.entries('state') };
  }

  private entries(payload: string): unknown[] {
    return this.list(() => {
      const ref = { task_id: 'job.1', attempt: 1, token: 'token' };
      return {
        ...ref,
        sequence: 1,
        progress: 0.5,
        ...this.maybe(payload, 3),
        ...this.maybe('', 1),
      };
    });
  }

  private maybe(name: string, depth: number): object {
    if (this.chance.chance(0.15)) return {};
    return { [name === '' ? this.chance.pick(keys) : name]: this.value(depth) };
  }

  /** A long one repeats a few items, which are flat: else nothing could write it down. */
  private list<T>(make: () => T): T[] {
    const count = this.count(8);
    const wasFlat = this.isFlat;
    this.isFlat = wasFlat || count > 8;
    const some = Array.from({ length: Math.min(count, 8) }, make);
    this.isFlat = wasFlat;
    return Array.from({ length: count }, (_, at) => some[at % 8]!);
  }

  private value(depth: number): unknown {
    const { chance } = this;
    switch (chance.integer(0, depth > 0 && !this.isFlat ? 12 : 8)) {
      case 0:
        return null;
      case 1:
        return chance.chance(0.5);
      case 2:
        return chance.integer(-5, 5000);
      case 3:
        return raw(this.number());
      case 4:
        return 'x'.repeat(this.count(30));
      case 5:
        return '7'.repeat(this.count(400));
      case 6:
        return chance.pick([
          '\u0001',
          'é€😀',
          '"\\',
          'hello',
          'result',
          'javascript',
          '0a'.repeat(32),
        ]);
      case 7:
        return raw(chance.pick(['"\\u00e9\\n"', ' 1.50 ', '"\\ud800"', '-0', '1E400', '"\t"']));
      case 8:
        return raw(this.nest());
      case 9:
      case 10:
        return this.list(() => this.value(depth - 1));
      default:
        return Object.fromEntries(
          this.list(() => 0).map((_, i) => [
            i < keys.length && chance.chance(0.3) ? keys[i]! : `k${i}`,
            this.value(i < 8 ? depth - 1 : 0),
          ]),
        );
    }
  }

  private number(): string {
    const { chance } = this;
    const digits = String(chance.integer(1, 9)).repeat(this.count(chance.pick([3, 20, 309])));
    const exponent = chance.pick(['', '', 'e5', 'e-400', 'e308', 'e999', 'E+1']);
    return `${chance.pick(['', '-'])}${digits}${exponent}`;
  }

  private nest(): string {
    const depth = this.count(1100);
    const [open, close] = this.chance.pick([
      ['[', ']'],
      ['{"a":', '}'],
      ['[{"toJSON":1,"a":', '}]'],
    ] as const);
    return `${open.repeat(depth)}1${close.repeat(depth)}`;
  }

  /** Usually up to so many; rarely, and then once, as many as fit into some megabytes. */
  private count(usual: number): number {
    const { chance } = this;
    if (!this.isLarge || !chance.chance(0.2)) return chance.integer(0, usual);
    this.isLarge = false;
    return chance.integer(1_000, 20_000);
  }

  private spoiled(value: unknown): Buffer {
    return this.broken(this.written(value));
  }

  private written(value: unknown): string {
    return JSON.stringify(value).replaceAll(/"\\u0000(.*?)\\u0000"/g, (_, text: string) =>
      text.replaceAll('\\"', '"').replaceAll('\\\\', '\\'),
    );
  }

  /** As it is, or with one place cut, doubled or overwritten. */
  private broken(text: string): Buffer {
    const { chance } = this;
    if (this.isLarge && chance.chance(0.8)) return Buffer.from(this.flooded(text));
    const bytes = Buffer.from(text.slice(0, longest));
    const at = chance.integer(0, Math.max(0, bytes.length - 1));
    switch (chance.integer(0, 9)) {
      case 0:
        return bytes.subarray(0, at);
      case 1:
        if (bytes.length > 0) bytes[at] = chance.integer(0, 255);
        return bytes;
      case 2:
        return Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.floor(at / 2))]);
      case 3: {
        const more = `{"${chance.pick(keys)}":${chance.pick(['1', '[]', '{}', '[{"value":1}]'])},`;
        return Buffer.from(text.replace('{', more));
      }
      default:
        return bytes;
    }
  }

  /** With millions of something small in front of the elements of one of its arrays. */
  private flooded(text: string): string {
    const { chance } = this;
    const bytes = chance.integer(1_000_000, 10_000_000);
    const unit = chance.pick([
      '{"type":0},',
      '{"type":"gossip"},',
      `"${'1'.repeat(307)}",`,
      '0,',
      '{},',
      '1.79e308,',
      '{"task_id":"j.1","attempt":1.5,"token":"t"},',
      ' ',
      '[',
    ]);
    const many = Math.floor(bytes / unit.length);
    const flood =
      unit === '[' ? `${'['.repeat(many / 2)}${']'.repeat(many / 2)},` : unit.repeat(many);
    const at = text.indexOf('[', chance.chance(0.3) ? 0 : chance.integer(0, text.length));
    return at < 0 ? `[${flood}${text}]` : text.slice(0, at + 1) + flood + text.slice(at + 1);
  }
}

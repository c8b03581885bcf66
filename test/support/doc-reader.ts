// Goes through the examples of a document from top to bottom, and says of the first that does not do
// what the document says, where it stands and what it did instead.

import { hostname } from 'node:os';
import type { DocShell } from './doc-shell.ts';
import type { Example, Step } from './document.ts';
import { likeness, plain } from './output-likeness.ts';

/** The port in every address of the pages. */
const PORT = '8000';

export class DocReader {
  readonly #shell: DocShell;
  readonly #port: string;
  #lastOutput = '';

  /** `port`: where the coordinator of the examples listens here. */
  constructor(shell: DocShell, port: number) {
    this.#shell = shell;
    this.#port = String(port);
  }

  /** Undefined: everything is as documented. */
  async firstFault(examples: readonly Example[]): Promise<string | undefined> {
    for (const example of examples) {
      const fault = await this.#faultOf(example);
      if (fault !== undefined) return `line ${example.line}: ${fault}`;
    }
    return undefined;
  }

  async #faultOf(example: Example): Promise<string | undefined> {
    switch (example.type) {
      case 'file':
        this.#shell.write(example.name, this.#here(example.text));
        return undefined;
      case 'run':
        return this.#run(example);
      case 'session':
        for (const step of example.steps) {
          const fault = await this.#step(step);
          if (fault !== undefined) return fault;
        }
        return undefined;
      case 'output':
        // What runs in the background may say something before and after it.
        return this.#compare(example.text, this.#lastOutput, false);
    }
  }

  async #run({ text, until }: Extract<Example, { type: 'run' }>): Promise<string | undefined> {
    const { code, output } = await this.#shell.run(this.#here(text));
    this.#lastOutput = output;
    if (code !== 0) return `it ended with ${code}, after:\n${output}`;
    if (output.includes('"detail":')) return `the coordinator refused it:\n${output}`;
    if (until !== undefined) await this.#shell.until((said) => said.includes(this.#here(until)));
    return undefined;
  }

  async #step({ command, output: documented }: Step): Promise<string | undefined> {
    const from = this.#shell.said.length;
    const { output } = await this.#shell.run(this.#here(command));
    const text = documented.join('\n');
    if (!command.endsWith('&')) return this.#compare(text, output, true);
    const wanted = likeness(text);
    await this.#shell.until((said) => wanted.test(this.#asDocumented(said.slice(from))));
    return undefined;
  }

  #compare(documented: string, output: string, isWhole: boolean): string | undefined {
    const { source } = likeness(documented);
    const text = this.#asDocumented(output);
    const isAlike = new RegExp(isWhole ? `^${source}$` : source).test(text);
    return isAlike ? undefined : `it says:\n${text}\ninstead of:\n${plain(documented)}`;
  }

  #here(text: string): string {
    return text.replaceAll(PORT, this.#port);
  }

  #asDocumented(output: string): string {
    return plain(output.replaceAll(this.#port, PORT).replaceAll(hostname(), 'desk'));
  }
}

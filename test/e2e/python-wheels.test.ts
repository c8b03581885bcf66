// Wheels of programs in Python: what is installed, and what is refused.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LoadFault, PythonChild, valueOf } from '../support/python-child.ts';
import { compiledModule, zipOf, type ZipEntry } from '../support/wheel.ts';

const tag = 'pyemscripten_2026_0_wasm32';
/** A cold start computes for seconds, on a machine that may have other things to do. */
const startsAtMostMs = 300_000;
let child: PythonChild;

beforeAll(async () => {
  child = await PythonChild.start();
  await child.makeImage();
}, startsAtMostMs);

afterAll(() => child.close());

type Wheels = Readonly<Record<string, readonly ZipEntry[] | Uint8Array>>;

async function load(source: string, wheels: Wheels, memoryMb = 256): Promise<void> {
  const blobs: Record<string, string> = {};
  const packages = Object.entries(wheels).map(([name, content], index) => {
    const bytes = content instanceof Uint8Array ? content : zipOf(content);
    blobs[`hash-${index}`] = Buffer.from(bytes).toString('base64');
    return { name, content: { $blob: `hash-${index}` } };
  });
  const program = { kind: 'python', source, packages };
  await child.load({ jobId: 'wheels', program, blobs, memoryMb });
}

async function result(source: string, wheels: Wheels): Promise<unknown> {
  await load(source, wheels);
  return valueOf((await child.run({ jobId: 'wheels', taskId: 'wheels-0' })).step);
}

async function refusal(wheels: Wheels, memoryMb = 256): Promise<readonly [string, string]> {
  const source = 'def run(input, task): pass';
  const fault: unknown = await load(source, wheels, memoryMb).catch((error: unknown) => error);
  if (!(fault instanceof LoadFault)) throw new Error('it was not refused');
  return [fault.errorType, fault.message];
}

const pure = [
  { path: 'demo/__init__.py', content: 'from demo.inner import answer\n' },
  { path: 'demo/inner.py', content: 'answer = 42\n' },
  { path: 'demo/data.txt', content: 'naïve' },
  {
    path: 'demo-1.0.dist-info/METADATA',
    content: 'Metadata-Version: 2.1\nName: demo\nVersion: 1.0\n',
  },
];

describe('a wheel', () => {
  test('that is pure is there when the program is executed, with its files and its version', async () => {
    const source = `
import demo, importlib.metadata, importlib.resources
text = importlib.resources.files(demo).joinpath("data.txt").read_text()
def run(input, task): return [demo.answer, text, importlib.metadata.version("demo")]
`;
    const wheels = { 'demo-1.0-py3-none-any.whl': pure };
    expect(await result(source, wheels)).toEqual([42, 'naïve', '1.0']);
  });

  test('may use those before it', async () => {
    const wheels = {
      'demo-1.0-py2.py3-none-any.whl': pure,
      'more-2.0-1-cp314-none-any.whl': [
        { path: 'more.py', content: 'import demo\nmore = demo.answer + 1\n' },
      ],
    };
    expect(await result('import more\ndef run(i, t): return more.more', wheels)).toBe(43);
  });

  test('has the subfolders of its data beside its packages, and no scripts', async () => {
    const entries = [
      { path: 'demo-1.0.data/', mode: 0o040755 },
      { path: 'demo-1.0.data/purelib/other.py', content: 'x = 1' },
      { path: 'demo-1.0.data/scripts/tool.py', content: 'x = 2' },
    ];
    const source = `
import importlib.util, other
def run(input, task): return [other.x, importlib.util.find_spec("tool") is None]
`;
    expect(await result(source, { 'demo-1.0-py3-none-any.whl': entries })).toEqual([1, true]);
  });

  test.each([`demo-1.0-cp314-cp314-${tag}.whl`, `demo-1.0-cp38-abi3-linux_x86_64.${tag}.whl`])(
    'with a compiled module is loaded: %s',
    async (name) => {
      const path = 'compiled/native.cpython-314-wasm32-emscripten.so';
      const entries = [
        { path: 'compiled/__init__.py' },
        { path, content: compiledModule('native') },
      ];
      const source = 'from compiled import native\ndef run(i, t): return native.sqrt(16)';
      expect(await result(source, { [name]: entries })).toBe(4);
    },
  );

  test.each([
    [
      'numpy-2.4.0-cp314-cp314-manylinux_2_28_x86_64.whl',
      `a wheel for py3-none-any or ${tag} is needed`,
    ],
    ['demo-1.0-cp314-cp314-pyemscripten_2025_0_wasm32.whl', `py3-none-any or ${tag} is needed`],
    ['demo-1.0-py2-none-any.whl', `py3-none-any or ${tag} is needed`],
    [
      `demo-1.0-cp313-cp313-${tag}.whl`,
      `made for another Python: the tag cp314-cp314-${tag} is needed`,
    ],
  ])('for something else is refused with the tag that is needed: %s', async (name, why) => {
    const [errorType, message] = await refusal({ [name]: pure });
    expect(errorType).toBe('missing_package');
    expect(message).toContain(why);
    expect(message).toContain(name);
  });

  test('with JavaScript of its own is refused', async () => {
    const content = Buffer.concat([compiledModule('native'), Buffer.from('__em_js__reach')]);
    const wheels = { [`demo-1.0-cp314-cp314-${tag}.whl`]: [{ path: 'native.so', content }] };
    expect(await refusal(wheels)).toEqual([
      'missing_package',
      `demo-1.0-cp314-cp314-${tag}.whl brings JavaScript of its own, which does not run here: native.so`,
    ]);
  });

  test.each([
    ['../evil.py'],
    ['demo/../../evil.py'],
    ['/evil.py'],
    ['demo//evil.py'],
    ['demo\\..\\..\\evil.py'],
    ['./evil.py'],
  ])('with a file outside of its folder is refused: %s', async (path) => {
    const wheels = { 'demo-1.0-py3-none-any.whl': [...pure, { path, content: 'x = 1' }] };
    expect(await refusal(wheels)).toEqual([
      'program_invalid',
      `demo-1.0-py3-none-any.whl has a file outside of its folder: ${path}`,
    ]);
  });

  test('with a link is refused', async () => {
    const link = { path: 'demo/link', content: '../../../..', mode: 0o120777 };
    const [errorType, message] = await refusal({ 'demo-1.0-py3-none-any.whl': [...pure, link] });
    expect(errorType).toBe('program_invalid');
    expect(message).toContain('has something that is no file: demo/link');
  });

  test.each([
    ['demo.zip', pure, 'demo.zip is not the name of a wheel'],
    ['../demo-1.0-py3-none-any.whl', pure, 'is not the name of a wheel'],
    ['demo-1.0-py3-none-any.whl', Buffer.from('no zip'), 'BadZipFile: File is not a zip file'],
    ['demo-1.0-py3-none-any.whl', damaged(), 'cannot be unpacked'],
  ])('that is none is refused: %s', async (name, content, why) => {
    const [errorType, message] = await refusal({ [name]: content });
    expect(errorType).toBe('program_invalid');
    expect(message).toContain(why);
  });

  test('that unpacks to more than the memory is refused', async () => {
    const zeros = [{ path: 'zeros.bin', content: Buffer.alloc(60 << 20) }];
    const [errorType, message] = await refusal({ 'demo-1.0-py3-none-any.whl': zeros }, 64);
    expect(errorType).toBe('program_invalid');
    expect(message).toContain('MemoryError');
  });
});

/** Its first file has another content than its checksum says. */
function damaged(): Buffer {
  const zip = zipOf([{ path: 'a.py', content: 'x = 1234567890' }]);
  zip[36]! ^= 0xff;
  return zip;
}

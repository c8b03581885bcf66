// The interpreter as it is published: CPython for WebAssembly by the Pyodide project, unmodified. What is done with
// these files is for exactly these bytes, so they are compared with their hashes first.

/** The version of the package in the npm registry. */
export const distributionVersion = '314.0.7';
/** What `runtimes` of a worker says, and the tags of wheels follow from. */
export const pythonVersion = '3.14.2';
export const abiVersion = '2026_0';
/** What a compiled wheel has to be made for (PEP 783). */
export const wheelTag = `pyemscripten_${abiVersion}_wasm32`;

/** SHA-256 of each file. */
const hashes = {
  'pyodide.asm.mjs': 'f7cdc8ece80678ceb712f8e65ebe6d3a83203a180c399865f49612a051693635',
  'pyodide.asm.wasm': 'cc36e3cab04fdfc9a63ff13eb52eae2b911bf46c025cc7b281f394bd3de1d5e6',
  'pyodide.mjs': '6f1d60f7bf529beb300f0f47983c921d3982363640ba20af0e38efdddbc66109',
  'python_stdlib.zip': 'fa1957e5777068fc4f7437f96d860ae2fbe9c19732ba06c84e004ec16dd7dd7a',
} as const;

/** Stands for all of them. */
export const distributionHash = Object.values(hashes).join(' ');

export type DistributionFile = keyof typeof hashes;
export type Distribution = Readonly<Record<DistributionFile, Uint8Array>>;

export const distributionFiles = Object.keys(hashes) as readonly DistributionFile[];

/** Throws when a file is another than the one that the code here was written for. */
export async function checkDistribution(
  files: Distribution,
  sha256: (bytes: Uint8Array) => string | Promise<string>,
): Promise<void> {
  for (const name of distributionFiles) {
    const found = await sha256(files[name]);
    if (found === hashes[name]) continue;
    throw new Error(
      `${name} is not the one of Pyodide ${distributionVersion}: its SHA-256 is ${found}`,
    );
  }
}

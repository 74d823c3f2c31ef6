// Published operators in each lane of the sandbox against the same code called directly, like a built-in operator: about a
// second of work on documents of about 2,000 characters. The targets are those of whole runs, which `published-runs` measures:
// there both sides also read and write rows.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { packageOf } from '../scripts/operators/package-folder.ts';
import { measuredTexts } from '../server/areas/operator-market/measured-texts.ts';
import { parseParams } from '../server/operators/index.ts';
import { toOperator } from '../server/operator-packages/index.ts';
import { checkLane, createSandbox, sandboxLimits } from '../server/sandbox/index.ts';
import { comparePairs } from './pairs.ts';

type Code = { default: { each: (params: object, effects: object) => (sample: { text: string }) => unknown } };

const batch = Array.from({ length: 128 }, (_, at) => measuredTexts[at % measuredTexts.length] ?? '');
const roundMs = 1000;
const targets = { FAST: 0.5, SAFE: 0.05 } as const;

const checked = checkLane();
if (checked.lane === 'SAFE') console.log(`The fast lane is left out: ${checked.why}`);
const directory = await mkdtemp(join(tmpdir(), 'tilth-bench-'));
try {
  for (const name of ['link-remover', 'sentence-group-splitter']) {
    const folder = fileURLToPath(new URL(`../examples/operators/${name}`, import.meta.url));
    const { code, manifest } = await packageOf(folder);
    const parsed = parseParams(toOperator(manifest), {});
    if (!parsed.ok) throw new Error(parsed.problem.text);
    const path = join(directory, `${name}.mjs`);
    await writeFile(path, code.bytes);
    const own = ((await import(pathToFileURL(path).href)) as Code).default.each({ ...parsed.params }, {});
    const encoded = batch.map((text) => Buffer.from(text));
    const builtIn = async (): Promise<number> =>
      measure(() => {
        // A new string each time, as in a run: V8 caches what regular expressions found in a string.
        for (const bytes of encoded) own({ text: bytes.toString() });
      });
    for (const lane of checked.lane === 'FAST' ? (['FAST', 'SAFE'] as const) : (['SAFE'] as const)) {
      const sandbox = createSandbox({ lane, limits: sandboxLimits });
      const opened = sandbox.open(code, parsed.params);
      const ratio = await comparePairs(
        `${name}, lane ${lane}`,
        { name: lane, unit: 'texts/s', run: async () => measure(() => void opened.run(encoded.map(String))) },
        { name: 'built-in', unit: 'texts/s', run: builtIn },
      );
      console.log(
        `${name}: ${lane} has ${ratio.toFixed(2)} of the speed of a bare call; target of whole runs ${targets[lane]}`,
      );
      sandbox.close();
    }
  }
} finally {
  await rm(directory, { recursive: true });
}

/** Texts per second. */
function measure(pass: () => void): number {
  const started = performance.now();
  let texts = 0;
  do {
    pass();
    texts += batch.length;
  } while (performance.now() - started < roundMs);
  return (texts / (performance.now() - started)) * 1000;
}

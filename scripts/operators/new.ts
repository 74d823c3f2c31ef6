// `npm run operator:new -- FOLDER [--typescript | --wasm]`: creates a working operator to start from.
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from './command.ts';
import { FolderProblem } from './package-folder.ts';

const usage = `Usage: npm run operator:new -- FOLDER [--typescript | --wasm]

Creates a working operator in a new folder. The name of the folder becomes the id of the operator: lower-case letters, digits and
single hyphens, at most 64 characters.

  (nothing)      a filter in JavaScript
  --typescript   the same in TypeScript; operator:test and operator:pack bundle it into one module
  --wasm         a mapper in WebAssembly, with the script that generates it

Then: npm run operator:test -- FOLDER
`;

const manifest = {
  version: '1.0.0',
  title: 'Drop short texts',
  summary: 'Drops texts with fewer words than a minimum.',
  author: 'You',
  licence: 'Apache-2.0',
  modality: 'TEXT',
  kind: 'FILTER',
  categories: ['length'],
  params: {
    type: 'object',
    properties: {
      min: {
        type: 'integer',
        title: 'Words',
        description: 'Minimum number of words',
        minimum: 0,
        maximum: 1000,
        default: 3,
      },
    },
  },
  entry: 'operator.js',
  thresholds: [{ param: 'min', direction: 'min' }],
  examples: [
    { title: 'Long enough', params: { min: 2 }, input: 'two words', output: 'two words' },
    { title: 'Too short', params: { min: 2 }, input: 'one', output: { drop: '1 word, below min 2' } },
  ],
};

const javascript = `export default {
  each: ({ min }) => (sample) => {
    const words = sample.text.split(/\\s+/).filter((word) => word !== '').length;
    if (words >= min) return { verdict: 'keep', sample, score: words };
    return { verdict: 'drop', reason: \`\${words} word\${words === 1 ? '' : 's'}, below min \${min}\`, score: words };
  },
};
`;

const typescript = `type Sample = { readonly text: string };

export default {
  each:
    ({ min }: { min: number }) =>
    (sample: Sample) => {
      const words = sample.text.split(/\\s+/).filter((word) => word !== '').length;
      if (words >= min) return { verdict: 'keep', sample, score: words };
      return { verdict: 'drop', reason: \`\${words} word\${words === 1 ? '' : 's'}, below min \${min}\`, score: words };
    },
};
`;

const readme = `# ${manifest.title}

${manifest.summary} Words are separated by whitespace.

\`npm run operator:test -- FOLDER\` runs the examples of \`operator.json\` and the cases of \`cases.json\` in the sandbox,
\`npm run operator:pack -- FOLDER\` creates the package to publish.
`;

const cases = [
  { title: 'An empty text', params: {}, input: '', output: { drop: '0 words, below min 3' } },
  { title: 'No minimum', params: { min: 0 }, input: '', output: '' },
];

/** The example in WebAssembly, under another id. */
const example = fileURLToPath(new URL('../../examples/operators/digit-masker', import.meta.url));

await runCommand(
  { usage, options: { typescript: { type: 'boolean' }, wasm: { type: 'boolean' } } },
  (given, { typescript: isTypeScript, wasm: isWasm }) => {
    const folder = resolve(given);
    const id = basename(folder);
    if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(id) || id.length > 64) {
      throw new FolderProblem(
        `${id} cannot be the id of an operator: use lower-case letters, digits and single hyphens, at most 64 characters`,
      );
    }
    if (isTypeScript === true && isWasm === true) throw new FolderProblem('Use either --typescript or --wasm');
    if (existsSync(folder)) throw new FolderProblem(`${folder} already exists`);
    mkdirSync(folder, { recursive: true });
    const write = (path: string, text: string): void => writeFileSync(join(folder, path), text);
    const writeJson = (path: string, value: unknown): void => write(path, `${JSON.stringify(value, null, 2)}\n`);
    if (isWasm === true) {
      for (const path of ['build.ts', 'operator.wasm', 'README.md'])
        copyFileSync(join(example, path), join(folder, path));
      const described = JSON.parse(readFileSync(join(example, 'operator.json'), 'utf8')) as object;
      writeJson('operator.json', { ...described, id, author: manifest.author });
      writeJson('cases.json', [{ title: 'An empty text', params: {}, input: '', output: '' }]);
    } else {
      writeJson('operator.json', { ...manifest, id });
      write('README.md', readme);
      writeJson('cases.json', cases);
      if (isTypeScript === true) write('operator.ts', typescript);
      else write('operator.js', javascript);
    }
    process.stdout.write(`Wrote ${folder}; try it with: npm run operator:test -- ${given}\n`);
  },
);

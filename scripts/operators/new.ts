// `npm run operator:new -- FOLDER [--typescript]`: a working operator to begin with.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const { positionals, values } = parseArgs({ allowPositionals: true, options: { typescript: { type: 'boolean' } } });
const [given] = positionals;
if (given === undefined) {
  process.stderr.write(
    'Usage: npm run operator:new -- FOLDER [--typescript]; the name of the folder is the id of the operator\n',
  );
  process.exit(1);
}
const folder = resolve(given);
const id = basename(folder);
if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(id) || id.length > 64) {
  process.stderr.write(`${id} can not be the id of an operator: use lower-case letters, digits and single hyphens\n`);
  process.exit(1);
}
if (existsSync(folder)) {
  process.stderr.write(`${folder} exists already\n`);
  process.exit(1);
}

const manifest = {
  id,
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
        description: 'Fewest words of a text',
        minimum: 0,
        maximum: 1000,
        default: 3,
      },
    },
  },
  entry: 'operator.js',
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

${manifest.summary} Words are separated by white space.

\`npm run operator:test -- FOLDER\` runs the examples of \`operator.json\` and the cases of \`cases.json\` in the sandbox,
\`npm run operator:pack -- FOLDER\` makes the package to publish.
`;

const cases = [
  { title: 'An empty text', params: {}, input: '', output: { drop: '0 words, below min 3' } },
  { title: 'No minimum', params: { min: 0 }, input: '', output: '' },
];

mkdirSync(folder, { recursive: true });
const write = (path: string, text: string): void => writeFileSync(join(folder, path), text);
write('operator.json', `${JSON.stringify(manifest, null, 2)}\n`);
write('README.md', readme);
write('cases.json', `${JSON.stringify(cases, null, 2)}\n`);
if (values.typescript === true) write('operator.ts', typescript);
else write('operator.js', javascript);
process.stdout.write(`Wrote ${folder}; try it with: npm run operator:test -- ${given}\n`);

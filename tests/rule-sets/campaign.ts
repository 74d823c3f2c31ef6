// `npm run test:rule-sets [-- ROWS]`: judges texts of this machine with the English templates and with datatrove, prints
// the table of docs/rule-sets.md and each verdict that differs. With `--label` it instead writes the verdicts on the
// labelled texts, which `verdicts.test.ts` compares. Needs python3 with venv and a registry of Python packages.
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { writeCorpus } from '../../bench/corpus/corpus.ts';
import { helpOnRequest } from '../support/usage.ts';
import { labelledTexts } from './labelled-texts.ts';
import { comparedSets, judgeBy } from './verdicts.ts';

type Verdicts = Record<string, string | null>;

const packages = ['datatrove==0.10.1', 'spacy==3.8.18', 'numpy', 'nltk', 'regex'];

helpOnRequest(
  'npm run test:rule-sets [-- ROWS | --label]: compares the English rule sets with datatrove. See docs/rule-sets.md.',
);
const directory = await mkdtemp(join(tmpdir(), 'tilth-rule-sets-'));
try {
  const python = process.env['TILTH_DATATROVE_PYTHON'] ?? (await makePython());
  if (process.argv[2] === '--label') await label(python);
  else await compare(python, Number(process.argv[2] ?? 20_000));
} finally {
  await rm(directory, { recursive: true });
}

async function makePython(): Promise<string> {
  const execute = promisify(execFile);
  await execute('python3', ['-m', 'venv', join(directory, 'python')]);
  const python = join(directory, 'python', 'bin', 'python');
  await execute(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages]);
  return python;
}

async function label(python: string): Promise<void> {
  const texts = labelledTexts();
  const verdicts = await judgeByPeer(python, texts);
  const labelled = Object.fromEntries(texts.map(({ title }, index) => [title, verdicts[index]]));
  await writeFile(join(import.meta.dirname, 'verdicts.json'), `${JSON.stringify(labelled, null, 2)}\n`);
}

async function compare(python: string, count: number): Promise<void> {
  const path = join(directory, 'corpus.jsonl');
  writeCorpus(path, { documents: 20_000, sizeBytes: 1 });
  const lines = (await readFile(path, 'utf8')).split('\n').slice(0, -1);
  const every = Math.max(1, Math.floor(lines.length / count));
  const rows = lines
    .filter((_, index) => index % every === 0)
    .map((line) => JSON.parse(line) as { source: string; text: string });
  const verdicts = await judgeByPeer(python, rows);
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  say('| Set | Texts | Dropped by datatrove | Dropped by us | Same verdict |\n|---|---|---|---|---|');
  for (const [name, templateId] of Object.entries(comparedSets)) {
    const judge = judgeBy(templateId);
    const ours = rows.map(({ text }) => judge(text));
    const theirs = verdicts.map((verdict) => verdict[name] ?? null);
    const differing = rows.flatMap((_, index) => ((ours[index] === null) === (theirs[index] === null) ? [] : [index]));
    const dropped = (all: readonly (string | null)[]): number => all.filter((reason) => reason !== null).length;
    const share = ((1 - differing.length / rows.length) * 100).toFixed(2);
    say(`| ${templateId} | ${rows.length} | ${dropped(theirs)} | ${dropped(ours)} | ${share} % |`);
    for (const index of differing)
      process.stderr.write(`${templateId}: ${rows[index]?.source}: datatrove ${theirs[index]}, we ${ours[index]}\n`);
  }
}

async function judgeByPeer(python: string, rows: readonly { text: string }[]): Promise<Verdicts[]> {
  const child = spawn(python, [join(import.meta.dirname, 'peer.py')], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stdin.end(rows.map(({ text }) => `${JSON.stringify({ text })}\n`).join(''));
  const code = await ended;
  const verdicts = output
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Verdicts);
  if (code !== 0 || verdicts.length !== rows.length)
    throw new Error(`datatrove ended with ${code} after ${verdicts.length} texts`);
  return verdicts;
}

// `npm run test:masking [-- TEXTS [SEED]]`: masks personal numbers beside others with Tilth and with the pattern recognizers of
// presidio, prints the table of docs/masking.md, and fails if Tilth finds or spares too little. Needs python3 with venv and
// a registry of Python packages; `--alone` leaves presidio out.
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { helpOnRequest } from '../support/usage.ts';
import { countsOf, foundBy, leastPrecision, leastRecall, maskerOf, sumOf, type Counts } from './measured.ts';
import { neighbourhoods, numberKinds, type Neighbourhood, type Span } from './neighbourhoods.ts';

helpOnRequest(
  'npm run test:masking [-- TEXTS [SEED] | --alone]: compares the maskers of personal numbers with presidio. See docs/masking.md.',
);
const figures = process.argv.slice(2).filter((argument) => /^\d+$/.test(argument));
const countPerKind = Math.ceil(Number(figures[0] ?? 14_000) / numberKinds.length);
const texts = neighbourhoods(Number(figures[1] ?? 20_261_130), countPerKind);
const theirs = process.argv.includes('--alone') ? undefined : await judgeByPeer();

const counts = texts.map(ownCounts);

const say = (line: string): void => void process.stdout.write(`${line}\n`);
say('| Numbers | Texts | Recall | Precision | Recall of presidio | Precision of presidio |\n|---|---|---|---|---|---|');
const shown = (value: number): string => (Number.isNaN(value) ? '–' : value.toFixed(4));
for (const kind of [...numberKinds, undefined]) {
  const indexes = texts.flatMap((text, index) => (kind === undefined || text.kind === kind ? [index] : []));
  const ours = sumOf(indexes.flatMap((index) => counts[index] ?? []));
  const peers = sumOf(indexes.flatMap((index) => peerCounts(index)));
  const values = [ours.recall, ours.precision, peers.recall, peers.precision].map(shown);
  say(`| ${kind ?? 'all'} | ${indexes.length} | ${values.join(' | ')} |`);
  if (kind === undefined && (ours.recall < leastRecall || ours.precision < leastPrecision)) process.exitCode = 1;
}

function ownCounts(text: Neighbourhood): Counts {
  const own = countsOf(text, foundBy(maskerOf(text), text.text));
  if (own.missed + own.wrong > 0) process.stderr.write(`${text.kind}, ${text.country}: ${JSON.stringify(text.text)}\n`);
  return own;
}

function peerCounts(index: number): Counts[] {
  const found = theirs?.[index] ?? null;
  return found === null ? [] : [countsOf(texts[index] as Neighbourhood, found)];
}

async function judgeByPeer(): Promise<(Span[] | null)[]> {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-masking-'));
  try {
    const python = process.env['TILTH_PRESIDIO_PYTHON'] ?? (await makePython(directory));
    const child = spawn(python, [join(import.meta.dirname, 'peer.py')], { stdio: ['pipe', 'pipe', 'inherit'] });
    const ended = new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
    child.stdin.end(texts.map((text) => `${JSON.stringify(text)}\n`).join(''));
    const code = await ended;
    const lines = output.split('\n').slice(0, -1);
    if (code !== 0 || lines.length !== texts.length)
      throw new Error(`presidio ended with ${code} after ${lines.length} texts`);
    return lines.map((line) => JSON.parse(line) as Span[] | null);
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function makePython(directory: string): Promise<string> {
  const execute = promisify(execFile);
  await execute('python3', ['-m', 'venv', join(directory, 'python')]);
  const python = join(directory, 'python', 'bin', 'python');
  const requirements = join(import.meta.dirname, 'requirements.txt');
  await execute(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', requirements]);
  return python;
}

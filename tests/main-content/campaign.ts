// `npm run test:main-content`: extracts the main content of pages of Debian's documentation and of pages made from templates
// with Tilth and with trafilatura, and prints the table of docs/main-content.md. Fails if the F1 of Tilth's words is lower
// by more than 0.03. Needs apt with a mirror, and python3 with venv and a registry of Python packages.
import { execFile } from 'node:child_process';
import { glob, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { mainContentExtractor } from '../../server/operators/extractors/main-content-extractor.ts';
import { helpOnRequest } from '../support/usage.ts';

type Page = { source: string; page: string; gold: string; theirs: string };

/** How far Tilth's F1 may be below trafilatura's. */
const mostBehind = 0.03;

const execute = promisify(execFile);
const peer = join(import.meta.dirname, 'peer.py');
helpOnRequest(
  'npm run test:main-content: compares the main content of 874 pages with trafilatura. See docs/main-content.md.',
);
const directory = await mkdtemp(join(tmpdir(), 'tilth-main-content-'));
try {
  const python = await makePython();
  const { stdout } = await execute(python, [peer, '--packages']);
  await takePackages(stdout.trim().split('\n'));
  const { stdout: rows } = await execute(python, [peer, directory], { maxBuffer: 1 << 30 });
  compare(
    rows
      .trim()
      .split('\n')
      .map((row) => JSON.parse(row) as Page),
  );
} finally {
  await rm(directory, { recursive: true });
}

async function makePython(): Promise<string> {
  await execute('python3', ['-m', 'venv', join(directory, 'python')]);
  const python = join(directory, 'python', 'bin', 'python');
  const packages = await readFile(join(import.meta.dirname, 'requirements.txt'), 'utf8');
  const names = packages.trim().split('\n');
  await execute(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...names]);
  return python;
}

async function takePackages(names: readonly string[]): Promise<void> {
  await execute('apt-get', ['download', ...names], { cwd: directory });
  for await (const archive of glob('*.deb', { cwd: directory }))
    await execute('dpkg-deb', ['-x', archive, archive.slice(0, archive.indexOf('_'))], { cwd: directory });
}

function compare(pages: readonly Page[]): void {
  const extract = mainContentExtractor.each({ tables: 'MARKDOWN' });
  /** Sources of pages of which only trafilatura has a text. */
  const empty: string[] = [];
  const scores = pages.map(({ source, page, gold, theirs }) => {
    const outcome = extract({ text: page });
    const ours = 'text' in outcome ? (outcome.text ?? '') : '';
    if (ours.trim() === '' && theirs.trim() !== '') empty.push(source);
    return { source, ours: rightness(gold, ours), theirs: rightness(gold, theirs) };
  });
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  say('| Pages of | Pages | Tilth | trafilatura |\n|---|---|---|---|');
  const mean = (of: readonly number[]): number => of.reduce((sum, score) => sum + score, 0) / of.length;
  const row = (name: string, of: typeof scores): [ours: number, theirs: number] => {
    const means: [number, number] = [mean(of.map(({ ours }) => ours)), mean(of.map(({ theirs }) => theirs))];
    say(`| ${name} | ${of.length} | ${means.map((score) => score.toFixed(3)).join(' | ')} |`);
    return means;
  };
  for (const [source, of] of Map.groupBy(scores, ({ source: name }) => name)) row(source, of);
  const [ours, theirs] = row('all', scores);
  say(`\nPages of which only trafilatura has a text: ${empty.length} ${[...new Set(empty)].join(', ')}`);
  if (ours < theirs - mostBehind || empty.length > 0) process.exitCode = 1;
}

/** F1 of the words of a text, counted with repetitions; a Chinese character is a word. */
function rightness(gold: string, found: string): number {
  const wanted = new Map<string, number>();
  const [right, given] = [wordsOf(gold), wordsOf(found)];
  for (const word of right) wanted.set(word, (wanted.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of given) {
    const left = wanted.get(word) ?? 0;
    if (left > 0) shared += 1;
    wanted.set(word, left - 1);
  }
  return shared === 0 ? 0 : (2 * shared) / (right.length + given.length);
}

function wordsOf(text: string): string[] {
  return (
    text
      .toLowerCase()
      .replaceAll(/\p{Script=Han}/gu, ' $& ')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

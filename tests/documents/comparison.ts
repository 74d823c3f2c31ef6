// Documents with known text, made on this machine, compared with the output of Tilth's reader and the usual tools.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { createDocuments } from '../../server/documents/index.ts';
import type { PackageDocument } from './package-documents.ts';

const execute = promisify(execFile);

/** What make-documents.py records about a document: its text in order, or the code it must fail with. */
type Truth = { kind: string; text: string[]; headings: number; tables: number; fails: string | null };

/** Shares of words kept, and of neighbouring words that stay neighbours. */
type Kept = { words: number; order: number };

export type Comparison = {
  name: string;
  kind: string;
  /** Undefined for a document that must fail. */
  ours: (Kept & { headings: number; tables: number }) | undefined;
  /** pdftotext or pandoc, if they read the format. */
  peer: Kept | undefined;
  expected: { headings: number; tables: number };
  /** A problem of the outcome itself. */
  problem: string | undefined;
};

/** Tilth's reading of a document of a package, compared with the usual tool's. */
export type PeerComparison = {
  name: string;
  kind: string;
  /** Share of the peer's words and word pairs that Tilth has, and of Tilth's words that the peer has. */
  words: number;
  order: number;
  known: number;
  headings: number;
  tables: number;
  /** Why Tilth could not read it. */
  problem: string | undefined;
};

const packages = ['reportlab', 'python-docx', 'openpyxl', 'python-pptx', 'pypdf', 'pillow'];

/** Makes `perKind` documents of each kind in a folder; throws the tool's own message if the machine can't. */
export async function makeDocuments(python: string, directory: string, perKind: number): Promise<void> {
  const home = join(directory, 'python');
  await execute(python, ['-m', 'venv', home]);
  const own = pythonOf(directory);
  // Most installed modules are never imported, and pip would compile all of them.
  await execute(own, ['-m', 'pip', 'install', '--quiet', '--no-compile', '--disable-pip-version-check', ...packages]);
  const script = join(import.meta.dirname, 'make-documents.py');
  await execute(own, [script, join(directory, 'documents'), String(perKind)]);
}

function pythonOf(directory: string): string {
  return join(directory, 'python', 'bin', 'python');
}

export async function compareDocuments(directory: string): Promise<Comparison[]> {
  const folder = join(directory, 'documents');
  const truth = JSON.parse(await readFile(join(folder, 'truth.json'), 'utf8')) as Record<string, Truth>;
  const documents = createDocuments({ processes: 1 });
  const found: Comparison[] = [];
  try {
    for (const [name, { kind, text, headings, tables, fails }] of Object.entries(truth)) {
      const path = join(folder, name);
      const bytes = await readFile(path);
      const result = await documents.read({ bytes }, name.split('.').at(-1) ?? '');
      const markdown = result.kind === 'read' ? Buffer.from(result.markdown).toString() : '';
      const outcome = result.kind === 'failed' ? result.problem.code : null;
      found.push({
        name,
        kind,
        ours: fails === null ? { ...keptOf(text, markdown), ...countParts(markdown) } : undefined,
        peer: fails === null ? await readByPeer(path, text) : undefined,
        expected: { headings, tables },
        problem: outcome === fails ? undefined : `${outcome ?? 'read'} in place of ${fails ?? 'text'}`,
      });
    }
  } finally {
    documents.close();
  }
  return found;
}

/** Reads the documents of packages; `directory` contains the Python environment of `makeDocuments`. */
export async function compareWithPeers(
  directory: string,
  found: readonly PackageDocument[],
): Promise<PeerComparison[]> {
  const documents = createDocuments({ processes: 1 });
  const compared: PeerComparison[] = [];
  try {
    for (const { kind, path } of found) {
      const result = await documents.read({ bytes: await readFile(path) }, path.split('.').at(-1) ?? '');
      const markdown = result.kind === 'read' ? Buffer.from(result.markdown).toString() : '';
      const text = await textByPeer(path, pythonOf(directory));
      compared.push({
        name: basename(path),
        kind,
        ...keptOf([text], markdown),
        known: keptOf([markdown], text).words,
        ...countParts(markdown),
        problem: result.kind === 'failed' ? `${result.problem.code}: ${result.problem.reason.text}` : undefined,
      });
    }
  } finally {
    documents.close();
  }
  return compared;
}

async function readByPeer(path: string, text: readonly string[]): Promise<Kept | undefined> {
  return /\.(?:pptx|xlsx)$/.test(path) ? undefined : keptOf(text, await textByPeer(path, ''));
}

async function textByPeer(path: string, python: string): Promise<string> {
  const [command, args] = path.endsWith('.pdf')
    ? (['pdftotext', [path, '-']] as const)
    : /\.(?:pptx|xlsx)$/.test(path)
      ? ([python, [join(import.meta.dirname, 'peer-text.py'), path]] as const)
      : (['pandoc', ['-t', 'plain', '--wrap=none', path]] as const);
  const { stdout } = await execute(command, [...args], { maxBuffer: 1 << 28 });
  return stdout;
}

function keptOf(text: readonly string[], read: string): Kept {
  const expected = wordsOf(text.join('\n'));
  const words = wordsOf(read);
  return { words: shareOf(expected, words), order: shareOf(pairsOf(expected), pairsOf(words)) };
}

/**
 * Splits into words of letters and digits, with hyphenated ones joined; in Chinese, Japanese and Korean each character
 * is a word.
 */
function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .replaceAll(/(?<=\p{L})(?:[-\u2010]\s*\n\s*(?=\p{Ll})|\u00ad\s*)/gu, '')
      .match(
        /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}])[\p{L}\p{M}\p{N}])+/gu,
      ) ?? []
  );
}

function pairsOf(words: readonly string[]): string[] {
  return words.slice(1).map((word, index) => `${words[index]} ${word}`);
}

function shareOf(expected: readonly string[], found: readonly string[]): number {
  const left = new Map<string, number>();
  for (const word of found) left.set(word, (left.get(word) ?? 0) + 1);
  let kept = 0;
  for (const word of expected) {
    const count = left.get(word) ?? 0;
    if (count === 0) continue;
    left.set(word, count - 1);
    kept += 1;
  }
  return expected.length === 0 ? 1 : kept / expected.length;
}

function countParts(markdown: string): { headings: number; tables: number } {
  return {
    headings: markdown.match(/^#{1,6} /gm)?.length ?? 0,
    tables: markdown.match(/^\|(?: ?:?-+:? ?\|)+$/gm)?.length ?? 0,
  };
}

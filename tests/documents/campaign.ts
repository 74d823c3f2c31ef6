// `npm run test:documents`: 76 documents made here, and 66 from Debian packages, read by Tilth and by pdftotext, pandoc and others; prints
// the tables of docs/documents.md. Exits with 1 if words were lost, columns were mixed or a document failed for another cause than
// expected.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  compareDocuments,
  compareWithPeers,
  makeDocuments,
  type Comparison,
  type PeerComparison,
} from './comparison.ts';
import { helpOnRequest } from '../support/usage.ts';
import { leastKept, leastOrder, lessKept } from './limits.ts';
import { takePackageDocuments } from './package-documents.ts';

helpOnRequest(
  'npm run test:documents: compares what is read of some 140 documents with other programs. See docs/documents.md.',
);
const directory = await mkdtemp(join(tmpdir(), 'tilth-campaign-'));
try {
  await makeDocuments('python3', directory, 5);
  const found = await compareDocuments(directory);
  process.stdout.write(`${found.length} documents\n\n${tableOf(found)}\n`);
  const wrong = found.filter(({ problem, ours }) => problem !== undefined || (ours?.words ?? 1) < leastKept);
  for (const { name, problem } of wrong) process.stdout.write(`${name}: ${problem ?? 'words are lost'}\n`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
  await compareOfPackages();
} finally {
  await rm(directory, { recursive: true });
}

async function compareOfPackages(): Promise<void> {
  const taken = await takePackageDocuments(directory);
  if ('missing' in taken) {
    process.stdout.write(`Documents of Debian packages are left out: ${taken.missing}\n`);
    return;
  }
  const compared = await compareWithPeers(directory, taken);
  process.stdout.write(`${compared.length} documents of Debian packages\n\n${tableOfPeers(compared)}\n`);
  for (const { name, kind, words, order, problem } of compared) {
    const least = lessKept[name]?.[0] ?? leastKept;
    if (order < (leastOrder[kind] ?? 0)) {
      process.stdout.write(`${name}: ${order.toFixed(3)} of the peer's neighbours\n`);
      process.exitCode = 1;
    }
    if (problem === undefined && words >= leastKept) continue;
    process.stdout.write(
      `${name}: ${problem ?? `${words.toFixed(3)} of the peer's words`}, ${lessKept[name]?.[1] ?? ''}\n`,
    );
    if (problem !== undefined || words < least) process.exitCode = 1;
  }
}

function tableOfPeers(compared: readonly PeerComparison[]): string {
  const lines = [...Map.groupBy(compared, ({ kind }) => kind)].map(([kind, all]) => {
    const mean = (part: 'words' | 'order' | 'known'): string =>
      (all.reduce((sum, one) => sum + one[part], 0) / all.length).toFixed(3);
    const count = (part: 'headings' | 'tables'): number => all.reduce((sum, one) => sum + one[part], 0);
    const least = Math.min(...all.map(({ words }) => words)).toFixed(3);
    const cells = [
      kind,
      all.length,
      mean('words'),
      least,
      mean('known'),
      mean('order'),
      count('headings'),
      count('tables'),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  const head =
    '| Kind | Documents | Words | Least | Known | Order | Headings | Tables |\n|---|---|---|---|---|---|---|---|';
  return `${head}\n${lines.join('\n')}\n`;
}

function tableOf(found: readonly Comparison[]): string {
  const lines = [...Map.groupBy(found, ({ kind }) => kind)].map(([kind, all]) => {
    const ours = all.flatMap((one) => one.ours ?? []);
    const peers = all.flatMap(({ peer }) => peer ?? []);
    const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
    const mean = (values: readonly number[]): string =>
      values.length === 0 ? '–' : (sum(values) / values.length).toFixed(3);
    const parts = (part: 'headings' | 'tables'): string =>
      `${sum(ours.map((one) => one[part]))} of ${sum(all.map(({ expected }) => expected[part]))}`;
    const cells = [
      kind,
      all.length,
      mean(ours.map(({ words }) => words)),
      mean(peers.map(({ words }) => words)),
      mean(ours.map(({ order }) => order)),
      mean(peers.map(({ order }) => order)),
      parts('headings'),
      parts('tables'),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  const head =
    '| Kind | Documents | Words | Peer | Order | Peer | Headings | Tables |\n|---|---|---|---|---|---|---|---|';
  return `${head}\n${lines.join('\n')}\n`;
}

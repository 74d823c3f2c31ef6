// `npm run test:documents`: some 70 documents of 14 kinds, made here, read by us and by pdftotext and pandoc; prints the table of
// docs/documents.md. Ends with 1 when words were lost or a document failed for another cause than it should.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareDocuments, makeDocuments, type Comparison } from './comparison.ts';
import { leastKept } from './limits.ts';

const directory = await mkdtemp(join(tmpdir(), 'tilth-campaign-'));
try {
  await makeDocuments('python3', directory, 5);
  const found = await compareDocuments(directory);
  process.stdout.write(`${found.length} documents\n\n${tableOf(found)}\n`);
  const wrong = found.filter(({ problem, ours }) => problem !== undefined || (ours?.words ?? 1) < leastKept);
  for (const { name, problem } of wrong) process.stdout.write(`${name}: ${problem ?? 'words are lost'}\n`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
} finally {
  await rm(directory, { recursive: true });
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

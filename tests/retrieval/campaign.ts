// `npm run test:retrieval [-- FOLDER]`: uploads 1,000 documents of Debian packages, 50 of them hostile, through the API of a separate
// service; each must end in a state with a receipt, and all counts must agree. Then it runs questions in each mode and prints the tables of
// docs/knowledge-bases.md. With python3 and bm25s the same questions are also run in other programs. FOLDER keeps the chunks and the
// questions.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createKnowledgeBase } from '../support/knowledge-bases.ts';
import { startProcess, type Ending } from '../support/server.ts';
import { helpOnRequest } from '../support/usage.ts';
import { hostileDocuments } from './hostile-documents.ts';
import { takePackageDocuments, type CampaignDocument } from './package-documents.ts';
import { figuresOf, makeQuestions, modes, ranksOf, reconcile, titlesOf, type Question } from './ranking.ts';
import { tableOfWeights } from './weights.ts';

const documentCount = 1000;
const questionsOfEachKind = 300;
const filesAtOnce = 50;
/** Each mode unchanged, and both lists with other weights. */
const searches: Readonly<Record<string, object>> = {
  ...Object.fromEntries(modes.map((mode) => [mode, { mode }])),
  ...Object.fromEntries(
    [1, 2, 3, 5].map((keyword) => [`HYBRID, words × ${keyword}`, { weights: { vector: 1, keyword } }]),
  ),
};

const endings: (() => unknown)[] = [];
const ending: Ending = { after: (step) => void endings.push(step) };
helpOnRequest(
  'npm run test:retrieval [-- FOLDER]: measures searches in 1,000 documents; keeps chunks and questions in FOLDER. See docs/knowledge-bases.md.',
);
const directory = await mkdtemp(join(tmpdir(), 'tilth-retrieval-'));
try {
  await run(process.argv[2] ?? join(directory, 'kept'));
} finally {
  for (const step of endings.toReversed()) await step();
  await rm(directory, { recursive: true });
}

async function run(folder: string): Promise<void> {
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  await mkdir(folder, { recursive: true });
  const hostile = Object.entries(hostileDocuments()).map(([name, content]): CampaignDocument => ({
    name: `hostile-${name}`,
    content: typeof content === 'string' ? Buffer.from(content) : content,
    isHostile: true,
  }));
  const taken = await takePackageDocuments(directory, documentCount - hostile.length);
  if ('missing' in taken) {
    say(`Left out: ${taken.missing}`);
    return;
  }
  const all = taken.flatMap((document, index) => [document, ...(index % 19 === 18 ? hostile.splice(0, 1) : [])]);
  all.push(...hostile);
  assert.equal(all.length, documentCount);

  const service = await startProcess(ending);
  const base = await createKnowledgeBase(service);
  const began = performance.now();
  for (let from = 0; from < all.length; from += filesAtOnce)
    await base.add(Object.fromEntries(all.slice(from, from + filesAtOnce).map(({ name, content }) => [name, content])));
  const documents = await base.settled();
  const seconds = (performance.now() - began) / 1000;
  const chunks = await reconcile(service, base, documentCount);
  say(`${documents.length} documents, ${chunks.length} chunks, ${seconds.toFixed(0)} s\n`);
  say(tableOfStates(documents));
  const unread = documents.filter(({ name, status }) => status === 'FAILED' && !name.startsWith('hostile-'));
  for (const { name, cause } of unread) say(`${name}: ${cause}`);
  for (const { name, status, cause, receipt } of documents)
    if (name.startsWith('hostile-'))
      say(`- ${name.slice(8)}: ${status} ${cause ?? receipt?.warnings.join('; ') ?? ''}`);

  const isHostile = new Set(documents.filter(({ name }) => name.startsWith('hostile-')).map(({ id }) => id));
  const asked = chunks.filter(({ documentId }) => !isHostile.has(documentId));
  const questions = makeQuestions(asked, titlesOf(all, documents), questionsOfEachKind);
  await writeFile(join(folder, 'chunks.json'), JSON.stringify(chunks));
  await writeFile(join(folder, 'questions.json'), JSON.stringify(questions));
  const ranks: Record<string, number[]> = {};
  for (const [name, settings] of Object.entries(searches)) {
    const from = performance.now();
    ranks[name] = await ranksOf(base, questions, settings);
    say(`${name}: ${((performance.now() - from) / questions.length).toFixed(1)} ms a question`);
  }
  const peers = await ranksOfPeers(folder);
  if (typeof peers === 'string') say(`No peers: ${peers}`);
  else Object.assign(ranks, peers);
  await writeFile(join(folder, 'ranks.json'), JSON.stringify(ranks));
  say(`\n${tableOfHalves(ranks)}`);
  say(tableOfFigures(questions, ranks));
  say(await tableOfWeights(chunks, questions));
}

async function ranksOfPeers(folder: string): Promise<Record<string, number[]> | string> {
  try {
    await promisify(execFile)('python3', [join(import.meta.dirname, 'peers.py'), folder]);
  } catch (error) {
    return (
      String((error as { stderr?: string }).stderr ?? error)
        .trim()
        .split('\n')
        .at(-1) ?? ''
    );
  }
  return JSON.parse(await readFile(join(folder, 'peers.json'), 'utf8')) as Record<string, number[]>;
}

function tableOfStates(documents: readonly { name: string; status: string; chunkCount: number }[]): string {
  const kinds = Map.groupBy(documents, ({ name }) =>
    name.startsWith('hostile-') ? 'hostile' : (name.split('.').at(-1) ?? ''),
  );
  const states = ['COMPLETED', 'PARTIAL', 'FAILED'];
  const lines = [...kinds].map(([kind, all]) => {
    const counts = states.map((state) => all.filter(({ status }) => status === state).length);
    return `| ${[kind, all.length, ...counts, all.reduce((sum, one) => sum + one.chunkCount, 0)].join(' | ')} |`;
  });
  return `| Kind | Documents | ${states.join(' | ')} | Chunks |\n|---|---|---|---|---|---|\n${lines.join('\n')}\n`;
}

/** All questions, and two halves of them, so that weights can be chosen on one and reported for the other. */
function tableOfHalves(ranks: Readonly<Record<string, readonly number[]>>): string {
  const lines = Object.entries(ranks).map(([searcher, all]) => {
    const parts = [all, ...[0, 1].map((half) => all.filter((_rank, at) => at % 2 === half))].map(figuresOf);
    return `| ${searcher} | ${parts.map(({ recall, mrr }) => `${recall.toFixed(3)} | ${mrr.toFixed(3)}`).join(' | ')} |`;
  });
  return `| Search | Recall@10 | MRR@10 | Recall@10, first half | MRR@10 | Recall@10, second half | MRR@10 |\n|---|---|---|---|---|---|---|\n${lines.join('\n')}\n`;
}

function tableOfFigures(questions: readonly Question[], ranks: Readonly<Record<string, readonly number[]>>): string {
  const groups: readonly (readonly [name: string, of: Question['of'], language: Question['language']])[] = [
    ['a sentence with a gap, English', 'chunk', 'en'],
    ['a sentence with a gap, Chinese', 'chunk', 'zh'],
    ['a title, English', 'document', 'en'],
    ['a title, Chinese', 'document', 'zh'],
  ];
  const lines = groups.flatMap(([name, of, language]) =>
    Object.entries(ranks).map(([searcher, all]) => {
      const own = all.filter((_rank, at) => questions[at]?.of === of && questions[at]?.language === language);
      const { recall, mrr, ndcg } = figuresOf(own);
      return `| ${name} | ${own.length} | ${searcher} | ${[recall, mrr, ndcg].map((share) => share.toFixed(3)).join(' | ')} |`;
    }),
  );
  return `| Question | Number | Search | Recall@10 | MRR@10 | nDCG@10 |\n|---|---|---|---|---|---|\n${lines.join('\n')}\n`;
}

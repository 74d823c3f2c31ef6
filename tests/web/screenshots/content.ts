import { readFile } from 'node:fs/promises';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { encodeText } from '../../../server/tables/encoder.ts';
import { sampleNotes, sampleReviews } from '../../../web/areas/home/sample-rows.ts';
import { docxOf } from '../../support/document-files.ts';
import { pdfOf } from '../../support/pdf-files.ts';
import { createKnowledgeBase } from '../../support/knowledge-bases.ts';
import type { RunningApp } from '../../support/server.ts';
import { callsOf, createDataset, upload } from './content-calls.ts';
import { type Synthesised, publishOperators, synthesise } from './run-content.ts';

/** Ids of the objects on the screenshots. */
export type Content = {
  dataset: string;
  cleaned: string;
  pictures: string;
  empty: string;
  files: Readonly<Record<string, string>>;
  task: string;
  run: string;
  sample: string;
  draft: string;
  model: string;
  source: string;
  sourceRun: string;
  synthesis: Synthesised;
  base: string;
  ragDocument: string;
  operator: string;
};

const steps = [
  { operatorId: 'html-tag-remover' },
  { operatorId: 'control-character-remover' },
  { operatorId: 'whitespace-normalizer' },
  { operatorId: 'pii-masker' },
  { operatorId: 'text-length-filter', params: { min: 40, max: 4_000 } },
  { operatorId: 'minhash-deduplicator' },
];

/** Realistic files: encodings, compressed and broken tables, documents, pictures, long and Chinese names. */
async function messyFiles(): Promise<Readonly<Record<string, Uint8Array | string>>> {
  const logo = await readFile(new URL('../../../docs/images/cleaning-run.png', import.meta.url));
  const chinese = '土壤湿度在三月下旬明显下降，需要补充灌溉。客服当天就回复了，并要求提供照片。';
  return {
    'notes.jsonl': sampleNotes(1_500),
    'reviews.csv': sampleReviews(400),
    'tables/readings.csv.zst': zstdCompressSync(sampleReviews(300)),
    'tables/notes-2025.jsonl.gz': gzipSync(sampleNotes(500)),
    'tables/prices;semicolons.csv':
      'article;price;note\nplough;12,50;heavy\nseed drill;840,00;"sold; see ledger"\nrake;9,90;\n',
    'tables/latin-1.csv': Buffer.from('id,text\n1,Übergröße für Äcker\n2,Café à la carte déjà vu\n', 'latin1'),
    'tables/every field of this table has a name that is rather too long for its column.jsonl': `${JSON.stringify(
      Object.fromEntries(Array.from({ length: 14 }, (_, at) => [`a_long_name_of_column_number_${at}`, `value ${at}`])),
    )}\n`,
    '中文资料/田间记录（二〇二六年春）.txt': encodeText(`${chinese}\n`.repeat(20), 'gb18030') ?? '',
    'letters/first.txt': 'Dear colleague,\n\n\nthe   data came.\nIt is clean now.\n',
    'letters/contract.docx': docxOf([
      'Contract',
      'Between the meadow and the field.',
      [
        ['Item', 'Price'],
        ['Seed', '12'],
      ],
    ]),
    'report.pdf': pdfOf([['Readings of the season', 'The probe showed 18.4 degrees at noon.'], [], ['The end.']]),
    'damaged.pdf': '%PDF-1.7 and nothing of one',
    'pictures/dashboard.png': logo,
    'backup.tar.gz': gzipSync('an archive that nobody unpacked'),
    'empty.txt': '',
  };
}

/** Cleans sample data, like a newcomer. Returns the address of the run. */
export async function fillForReadme({ api }: Pick<RunningApp, 'api'>): Promise<string> {
  const { enveloped, ended } = callsOf(api);
  const sourceDatasetId = await createDataset(api, 'Field notes', ['field']);
  await upload(api, sourceDatasetId, { 'notes.jsonl': sampleNotes(30_000), 'reviews.csv': sampleReviews(12_000) });
  const { id: task } = await enveloped('POST', '/data-cleaning/tasks', {
    name: 'Tidy the field notes',
    sourceDatasetId,
    steps,
  });
  const { id: run } = await enveloped('POST', `/data-cleaning/tasks/${task}/execute`, {});
  const address = `/cleaning/${task}/runs/${run}`;
  await ended(`/data-cleaning/tasks/${task}/runs/${run}`);
  return address;
}

/** A knowledge base of the documents of this project. Returns the address of a search in it. */
export async function fillKnowledgeForReadme({ api }: Pick<RunningApp, 'api'>): Promise<string> {
  const base = await createKnowledgeBase({ api }, { name: 'Documentation', description: 'What people ask about most' });
  const names = [
    'ARCHITECTURE.md',
    'SECURITY.md',
    'docs/connectors.md',
    'docs/backup.md',
    'docs/full-disk.md',
    'docs/formats.md',
  ];
  const files = await Promise.all(
    names.map(async (name) => [name, await readFile(new URL(`../../../${name}`, import.meta.url), 'utf8')] as const),
  );
  await base.add(Object.fromEntries(files));
  await base.settled();
  return `/knowledge/${base.id}/search?q=${encodeURIComponent('delete files on a full disk')}`;
}

/** Fills a service with data for every page of the web application. */
export async function fill({ api }: Pick<RunningApp, 'api'>): Promise<Content> {
  const { enveloped, ended } = callsOf(api);
  const dataset = await createDataset(api, 'Field notes 田间笔记', ['field', 'spring', '农业']);
  const files = await upload(api, dataset, await messyFiles());
  const pictures = await createDataset(api, 'Pictures of the meadow', []);
  const logo = await readFile(new URL('../../../docs/images/cleaning-run.png', import.meta.url));
  await upload(
    api,
    pictures,
    Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`meadow/view number ${at + 1}.png`, logo])),
  );
  const empty = await createDataset(api, 'Nothing yet', []);
  const base = await createKnowledgeBase(
    { api },
    { name: 'Manuals and readings 手册', description: 'What was measured' },
  );
  const documents = await base.add({
    'report.pdf': new Uint8Array(
      pdfOf([['Readings of the season', 'The probe showed 18.4 degrees at noon.'], [], ['The end.']]),
    ),
    'broken.pdf': '%PDF-1.7 and nothing of one',
    'harrow.md': '# Harrow\n\nA disc harrow cuts the roots of weeds.\n',
    '土壤.txt': '土壤湿度在三月下旬明显下降，需要补充灌溉。',
    'harrow (copy).md': '# Harrow\n\nA disc harrow cuts the roots of weeds.\n',
  });
  await base.settled();

  const { id: task } = await enveloped('POST', '/data-cleaning/tasks', {
    name: 'Tidy the field notes',
    description: 'Before they are given to the model',
    sourceDatasetId: dataset,
    steps,
    input: {
      textFields: [
        { files: '**/every*', field: 'a_long_name_of_column_number_1' },
        { files: '**/prices*', field: 'note' },
      ],
    },
    schedule: { cron: '30 2 * * 1-5', timezone: 'Europe/Berlin' },
  });
  const { id: run } = await enveloped('POST', `/data-cleaning/tasks/${task}/execute`, {});
  await ended(`/data-cleaning/tasks/${task}/runs/${run}`);
  const ledger = await api<{ data: { content: { sampleId: string; verdict: string }[] } }>(
    'GET',
    `/data-cleaning/tasks/${task}/runs/${run}/ledger?verdict=CHANGED&size=1`,
  );
  const { body: shown } = await api<{ data: { targetDatasetId: string } }>('GET', `/data-cleaning/tasks/${task}`);
  const { id: draft } = await enveloped('POST', '/data-cleaning/tasks', {
    name: 'Only the reviews',
    sourceDatasetId: dataset,
    steps: [{ operatorId: 'whitespace-normalizer' }],
    input: { fileTypes: ['csv'], textField: 'text' },
  });
  await enveloped('POST', '/data-cleaning/templates', {
    name: 'Notes of our own',
    description: 'What we always do first',
    steps: [{ operatorId: 'whitespace-normalizer' }, { operatorId: 'text-length-filter', params: { min: 10 } }],
  });

  const { id: model } = await enveloped('POST', '/settings/models', {
    name: 'A model of our own',
    kind: 'CHAT',
    model: 'llama3.1:8b-instruct',
    baseUrl: 'http://127.0.0.1:11434/v1',
    apiKey: 'sk-0123456789',
    prices: { input: 0.15, output: 0.6 },
    limits: { concurrency: 8, perDay: { maxCalls: 5000, maxCost: 20 } },
  });
  const { id: source } = await enveloped('POST', '/data-collection/tasks', {
    name: 'Herbarium sheets',
    connector: { type: 'http-files', config: { urls: ['http://127.0.0.1:9/sheets.jsonl'] } },
    schedule: { cron: '0 3 * * *', timezone: 'Europe/Berlin' },
  });
  const { id: sourceRun } = await enveloped('POST', `/data-collection/tasks/${source}/execute`, {});
  await ended(`/data-collection/tasks/${source}/runs/${sourceRun}`);
  const synthesis = await synthesise(api, dataset);
  await api('POST', '/auth/users', { username: 'erin', password: 'correct horse battery', role: 'EDITOR' });
  await api('POST', '/auth/api-keys', { name: 'nightly import' });
  return {
    dataset,
    cleaned: shown.data.targetDatasetId,
    pictures,
    empty,
    files,
    task,
    run,
    sample: ledger.body.data.content[0]?.sampleId ?? '',
    draft,
    model,
    source,
    sourceRun,
    synthesis,
    base: base.id,
    ragDocument: documents.find(({ name }) => name === 'report.pdf')?.id ?? '',
    operator: await publishOperators(api),
  };
}

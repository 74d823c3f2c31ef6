// Runs over folders of documents: each document, whatever it is, is one sample with a verdict, and the run ends.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { forAnyDatabase } from '../../../../tests/support/databases.ts';
import { docxOf, epubOf, odtOf, pptxOf, xlsxOf } from '../../../../tests/support/document-files.ts';
import { pdfOf } from '../../../../tests/support/pdf-files.ts';
import { openEngine, step, type EngineBench } from '../../../../tests/support/engine.ts';
import { zipOf } from '../../../../tests/support/zip-files.ts';
import { createDocuments } from '../../../documents/index.ts';
import type { Database } from '../../../storage/database/database.ts';
import type { Run } from '../../../runs/index.ts';
import type { EngineOptions, LedgerEntry } from '../../index.ts';

const normalize = [step('whitespace-normalizer', { maxBlankLines: 1 })];

async function open(t: TestContext, db: Database, options: Partial<EngineOptions> = {}): Promise<EngineBench> {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-documents-'));
  const documents = createDocuments({ processes: 1, memoryMb: 300 });
  const bench = await openEngine(db, directory, { documents, ...options });
  t.after(async () => {
    await bench.close();
    documents.close();
    await rm(directory, { recursive: true });
  });
  return bench;
}

async function run(
  bench: EngineBench,
  files: Readonly<Record<string, string | Uint8Array>>,
  onError: 'KEEP' | 'DROP',
): Promise<{ run: Run; entries: Map<string, LedgerEntry> }> {
  const inputs = [];
  for (const [path, content] of Object.entries(files)) inputs.push(await bench.put(path, content));
  const { id } = await bench.execute(inputs, { steps: normalize, onError });
  const ended = await bench.ended(id);
  assert.equal(ended.status, 'COMPLETED', ended.error ?? '');
  const { entries, total } = await bench.engine.readLedger(ended, {}, { page: 0, size: 1000 });
  assert.equal(total, inputs.length);
  return { run: ended, entries: new Map(entries.map((entry) => [entry.filePath, entry])) };
}

forAnyDatabase('documents become Markdown beside the others, with a receipt in the ledger', async (t, openDb) => {
  const bench = await open(t, await openDb());
  const { run: ended, entries } = await run(
    bench,
    {
      'a/book.epub': epubOf('Book', ['<p>One   space</p>']),
      'a/notes.odt': odtOf(['Notes']),
      'a/page.html': '<html><title>T</title><p>Page</p>',
      'a/plan.docx': docxOf(['Plan', [['x', 'y']]]),
      'a/scan.pdf': pdfOf([[], []]),
      'a/slides.pptx': pptxOf([{ texts: ['Slide'] }]),
      'a/table.xlsx': xlsxOf({ Sheet: [['a', 'b']] }),
      'a/text.pdf': pdfOf([['First page'], []]),
      nameless: pdfOf([['No extension']]),
      'plain.txt': 'plain  text',
      'really-a-pdf.txt': pdfOf([['x']]),
    },
    'KEEP',
  );
  assert.deepEqual(ended.counts, { in: 11, kept: 9, changed: 1, dropped: 0, failed: 2, emitted: 11 });
  const result = await bench.result();
  assert.deepEqual(
    [...result.keys()],
    [
      'a/book.epub.md',
      'a/notes.odt.md',
      'a/page.html.md',
      'a/plan.docx.md',
      'a/scan.pdf',
      'a/slides.pptx.md',
      'a/table.xlsx.md',
      'a/text.pdf.md',
      'nameless.md',
      'plain.txt',
      'really-a-pdf.txt',
    ],
  );
  assert.equal(result.get('a/book.epub.md'), 'One space');
  assert.equal(result.get('a/plan.docx.md'), 'Plan\n\n| x | y |\n| --- | --- |');
  assert.equal(result.get('nameless.md'), 'No extension');
  assert.deepEqual(entries.get('a/text.pdf')?.receipt, {
    format: 'pdf',
    title: null,
    pageKind: 'page',
    pagesIn: 2,
    pagesOut: 1,
    characters: 10,
    tables: 0,
    images: 0,
    warnings: ['page 2 has no text (scanned?)'],
    warningSentences: [{ code: 'PAGE_BLANK', params: { number: 2 } }],
    leftOut: [{ kind: 'PAGE_WITHOUT_TEXT', count: 1, page: 2 }],
    replaced: null,
  });
  const scan = entries.get('a/scan.pdf');
  assert.equal(scan?.verdict, 'FAILED');
  assert.equal(scan.reason, 'NO_TEXT: 2 pages without text: scanned or drawn');
  assert.equal(scan.receipt?.pagesIn, 2);
  assert.match(entries.get('really-a-pdf.txt')?.reason ?? '', /^UNSUPPORTED_FORMAT: .* is a PDF by its content/);
  assert.equal(entries.get('plain.txt')?.receipt, null);
});

forAnyDatabase('broken and hostile documents fail, each with its cause, and the run goes on', async (t, openDb) => {
  const bench = await open(t, await openDb());
  const { run: ended, entries } = await run(
    bench,
    {
      'bomb.docx': zipOf([
        { name: '[Content_Types].xml', content: '<Types/>' },
        { name: 'word/document.xml', content: Buffer.alloc(200 << 20, 'a'), claimedBytes: 100 },
      ]),
      'cut.docx': docxOf(['x']).subarray(0, 400),
      'deep.html': `<html>${'<div>'.repeat(200_000)}x`,
      'empty.pdf': '',
      'fine.docx': docxOf(['fine']),
      'image.png': Buffer.from('89504e470d0a1a0a', 'hex'),
      'list.json': '[{"text": "a"}]',
      'locked.xlsx': Buffer.concat([
        Buffer.from('d0cf11e0a1b11ae1', 'hex'),
        Buffer.from('EncryptedPackage', 'utf16le'),
      ]),
      'old.doc': Buffer.from('d0cf11e0a1b11ae100000000', 'hex'),
      [`${'n'.repeat(251)}.rtf`]: String.raw`{\rtf1 a name without room}`,
    },
    'DROP',
  );
  assert.deepEqual(ended.counts, { in: 9, kept: 2, changed: 0, dropped: 0, failed: 7, emitted: 2 });
  assert.deepEqual(
    [...(await bench.result())],
    [
      ['fine.docx.md', 'fine'],
      ['list.json', '[{"text": "a"}]'],
    ],
  );
  const codes = [...entries.values()].map(({ filePath, reason }) => [filePath.slice(0, 9), reason?.split(':')[0]]);
  assert.deepEqual(codes, [
    // It unpacks to more than it says.
    ['bomb.docx', 'DAMAGED'],
    ['cut.docx', 'DAMAGED'],
    ['deep.html', 'TOO_LARGE'],
    ['empty.pdf', 'NO_TEXT'],
    ['fine.docx', undefined],
    ['image.png', 'NOT_MEANT'],
    ['list.json', undefined],
    ['locked.xl', 'ENCRYPTED'],
    ['old.doc', 'UNSUPPORTED_FORMAT'],
    ['nnnnnnnnn', `the result would be called ${'n'.repeat(251)}.rtf.md, which is longer than 255 bytes`],
  ]);
});

forAnyDatabase('documents of many shards, read by several processes, come out in their places', async (t, openDb) => {
  const documents = createDocuments({ processes: 2 });
  t.after(() => documents.close());
  const bench = await open(t, await openDb(), { documents, shardFiles: 3, workers: 2 });
  const names = Array.from(
    { length: 12 },
    (_, index) => `${String(index).padStart(2, '0')}.${index % 2 === 0 ? 'docx' : 'pdf'}`,
  );
  const files = Object.fromEntries(
    names.map((name) => [name, name.endsWith('docx') ? docxOf([`It is ${name}`]) : pdfOf([[`It is ${name}`]])]),
  );
  await run(bench, files, 'KEEP');
  assert.deepEqual(
    [...(await bench.result())],
    names.map((name) => [`${name}.md`, `It is ${name}`]),
  );
});

forAnyDatabase('rows do not wait for documents of another run that take for ever', async (t, openDb) => {
  const documents = createDocuments({ processes: 1, timeoutMs: 600_000, memoryMb: 4096 });
  const bench = await open(t, await openDb(), { documents, shardFiles: 1, workers: 1 });
  const paragraph = '<w:p><w:r><w:t>a</w:t></w:r></w:p>';
  const hostile = docxOf([], { body: paragraph.repeat(1_900_000) });
  const slow = [];
  for (let index = 0; index < 4; index += 1) slow.push(await bench.put(`${index}.docx`, hostile));
  const slowRun = await bench.execute(slow, { steps: normalize });
  let hasEnded = false;
  const ended = bench.ended(slowRun.id).then(() => {
    hasEnded = true;
  });
  const source = [await bench.put('rows.jsonl', '{"text":"a row"}\n'.repeat(100))];
  const quick = await bench.ended((await bench.execute(source, { steps: normalize })).id);
  assert.deepEqual([quick.status, quick.counts.in], ['COMPLETED', 100], quick.error ?? '');
  assert.equal(hasEnded, false);
  // Aborts the reading of the hostile documents.
  documents.close();
  await ended;
});

forAnyDatabase('what is made of a document never takes the place of another file', async (t, openDb) => {
  const bench = await open(t, await openDb(), { shardFiles: 2 });
  const { run: ended } = await run(
    bench,
    {
      'a.docx': docxOf(['from Word']),
      'a.docx-notes.txt': 'between',
      'a.docx.md': 'from the source',
      'b.md': 'alone',
    },
    'KEEP',
  );
  assert.deepEqual(
    [...(await bench.result())],
    [
      ['a.docx.md', 'from Word'],
      ['a.docx-notes.txt', 'between'],
      ['a.docx (1).md', 'from the source'],
      ['b.md', 'alone'],
    ],
  );
  const { lines } = await bench.engine.listLogs(ended.id, { page: 0, size: 100 });
  assert.ok(lines.some(({ level, message }) => level === 'WARN' && message.includes('a.docx.md → a.docx (1).md')));
});

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import sharp from 'sharp';
import { docxOf, xlsxOf } from '../../../tests/support/document-files.ts';
import { sized } from '../../../tests/support/long-tests.ts';
import { makePicture } from '../../../tests/support/pictures.ts';
import { parquetOfTexts, queryToParquet } from '../../../tests/support/parquet.ts';
import type { Api, ApiAnswer } from '../../../tests/support/api.ts';
import { startApp, type RunningApp } from '../../../tests/support/server.ts';
import { sharedApp } from '../../../tests/support/shared-app.ts';
import type { ContentStatistics } from './schemas/content-statistics.ts';
import type { File } from './schemas/files.ts';

const shared = sharedApp(import.meta.url);

type Setting = Api & {
  dataDir: string;
  at: string;
  upload(files: Readonly<Record<string, string | Uint8Array>>): Promise<File[]>;
  counted(path?: string, method?: 'GET' | 'POST'): Promise<NonNullable<ContentStatistics['contents']>>;
};

async function openSetting(own?: RunningApp): Promise<Setting> {
  const service = own ?? (await shared.open());
  const named = { name: 'd', type: 'TEXT' };
  const { body: dataset } = await service.api<{ id: string }>('POST', '/data-management/datasets', named);
  const at = `/data-management/datasets/${dataset.id}`;
  return {
    ...service,
    at,
    async upload(files) {
      const form = new FormData();
      for (const [path, content] of Object.entries(files))
        form.append('files', new Blob([typeof content === 'string' ? content : new Uint8Array(content)]), path);
      return (await service.api<File[]>('POST', `${at}/files/upload`, form)).body;
    },
    async counted(path = '/content-statistics', method = 'GET') {
      for (let [asked, place] = [method, path]; ; [asked, place] = ['GET', path.replace('/rebuild', '')]) {
        const { status, body }: ApiAnswer<ContentStatistics> = await service.api(asked, `${at}${place}`);
        assert.equal(status, 200, JSON.stringify(body));
        if (body.contents !== null) {
          assert.deepEqual([body.state, body.counted], ['READY', body.total]);
          return body.contents;
        }
        assert.equal(body.state, 'COUNTING');
        assert.ok(body.counted <= body.total);
        await pause(50);
      }
    },
  };
}

const english = 'The quick brown fox jumps over the lazy dog, and then it sleeps in the warm sun.';
const german = 'Der schnelle braune Fuchs springt über den faulen Hund und schläft danach in der Sonne.';

test('texts, languages, tokens, columns, repeats and pictures of a dataset are counted', async () => {
  const { upload, counted } = await openSetting();
  const rows = [english, german, english, ''].map((text, id) =>
    JSON.stringify({ id, text, lang: id > 1 ? null : 'x' }),
  );
  const picture = async (width: number, height: number): Promise<Buffer> =>
    sharp({ create: { width, height, channels: 3, background: '#888' } })
      .png()
      .toBuffer();
  await upload({
    'a.jsonl': `${rows.join('\n')}\nbroken\n`,
    'b.txt': german,
    'copy.txt': german,
    'c.docx': docxOf([english]),
    'd.parquet': await parquetOfTexts(['hello', 'world']),
    'e.xlsx': xlsxOf({ One: [['n'], [1]], Two: [['note'], ['from a sheet']] }),
    'f.png': await picture(64, 64),
    'g.png': await picture(300, 100),
    'h.bin': new Uint8Array([1, 2, 3]),
    'broken.pdf': '%PDF-1.7 and nothing of one',
    'empty.txt': '',
  });
  const { kinds, texts, table, images, repeatedFiles, failed } = await counted();
  const files = Object.fromEntries(kinds.map(({ kind, files: count }) => [kind, count]));
  assert.deepEqual(files, { TABLE: 3, TEXT: 2, DOCUMENT: 1, IMAGE: 2, OTHER: 2 });
  assert.deepEqual(repeatedFiles, { files: 1, sizeBytes: Buffer.byteLength(german) });
  assert.deepEqual([texts?.texts, texts?.empty, texts?.repeated], [9, 1, 1]);
  const languages = new Map(texts?.languages.map(({ language, count }) => [language, count]));
  assert.deepEqual([languages.get('en'), languages.get('de')], [4, 3]);
  assert.equal(texts?.characters.quantiles?.p0, 5);
  assert.equal(texts?.characters.quantiles?.p100, german.length);
  assert.equal(
    texts?.characters.histogram.reduce((sum, { count }) => sum + count, 0),
    9,
  );
  assert.ok((texts?.tokens.total ?? 0) > 100, String(texts?.tokens.total));
  assert.deepEqual([table?.rows, table?.unreadable], [9, 1]);
  const columnOf = (name: string, type: string) =>
    table?.columns.find((column) => column.name === name && column.type === type);
  assert.deepEqual(columnOf('lang', 'VARCHAR'), {
    name: 'lang',
    type: 'VARCHAR',
    files: 1,
    rows: 4,
    nulls: 2,
    distinct: 1,
    textFiles: 0,
  });
  assert.equal(columnOf('text', 'VARCHAR')?.textFiles, 2, 'the column whose texts are counted is named');
  assert.deepEqual([columnOf('text', 'VARCHAR')?.files, columnOf('text', 'VARCHAR')?.distinct], [2, null]);
  assert.deepEqual(
    images?.resolutions.map(({ width, height }) => [width, height]),
    [
      [300, 100],
      [64, 64],
    ],
  );
  assert.deepEqual(
    images?.aspects.filter(({ count }) => count > 0).map(({ aspect }) => aspect),
    ['SQUARE', 'WIDE'],
  );
  assert.deepEqual(images?.formats, [{ format: 'png', count: 2 }]);
  assert.equal(failed.files, 1);
  assert.equal(failed.shown[0]?.filePath, 'broken.pdf');
  assert.notEqual(failed.shown[0]?.reasonCode, null);
});

test('a picture that ends before its pixels is none, and says so; one with bytes behind it is whole', async () => {
  const { upload, counted } = await openSetting();
  const formats = ['PNG', 'JPEG', 'GIF', 'WEBP', 'AVIF', 'TIFF'];
  const files: Record<string, Uint8Array> = {};
  for (const format of formats) {
    const { bytes } = await makePicture(`${format} 320×240`);
    const type = format.toLowerCase();
    files[`cut.${type}`] = bytes.subarray(0, bytes.length >> 1);
    // Only the last 20 bytes are missing.
    files[`short.${type}`] = bytes.subarray(0, -20);
    files[`whole.${type}`] = bytes;
    files[`more.${type}`] = Buffer.concat([bytes, Buffer.from('what a program adds')]);
  }
  const uploaded = await upload(files);
  const { kinds, images, failed } = await counted();
  assert.deepEqual(
    kinds.map(({ kind, files: count }) => [kind, count]),
    [['IMAGE', 12]],
  );
  assert.equal(images?.formats.length, 6);
  assert.deepEqual(
    failed.shown.map(({ filePath }) => filePath).toSorted(),
    uploaded
      .map(({ filePath }) => filePath)
      .filter((path) => /^(?:cut|short)/.test(path))
      .toSorted(),
  );
  for (const { filePath, reasonCode } of failed.shown)
    if (/png|jpeg|gif|webp/.test(filePath)) assert.equal(reasonCode, 'PICTURE_BROKEN', filePath);
});

test('texts of tables are those of the field that a task takes, or could name, and the answer says which', async () => {
  const { upload, counted } = await openSetting();
  const lines = (...rows: object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  const chat = (...contents: unknown[]): object => ({
    n: 1,
    messages: contents.map((content) => ({ role: 'user', content })),
  });
  const parts = [
    { type: 'text', text: german },
    { type: 'image_url', image_url: { url: 'x' } },
  ];
  const shape = `[{'role': 'user', 'content': '${english}'}, {'role': 'user', 'content': null}] as messages, 1 as n`;
  await upload({
    'chat.jsonl': lines(chat(english, german, english, ''), { n: 2, messages: [] }, chat(parts), { n: 3 }),
    'chat.parquet': await queryToParquet(`select ${shape}`),
    'only.jsonl': lines({ id: 'only strings are texts', text: 7, other: [english] }),
    'qa.csv': `title,body\nwhat,${english.replaceAll(',', '')}\n`,
    'text.jsonl': lines({ text: 'short', body: english }),
    'none.jsonl': lines({ n: 1 }),
  });
  const { texts, table } = await counted();
  const found = texts?.fields.map(({ field, isDetected, tables }) => [field, isDetected, tables]);
  assert.deepEqual(
    new Set(found?.map((one) => JSON.stringify(one))),
    new Set(['["messages[*].content",false,2]', '["id",true,1]', '["body",false,1]', '["text",true,1]']),
  );
  assert.deepEqual(found?.[0], ['messages[*].content', false, 2], 'the most frequent ones come first');
  assert.equal(texts?.otherTables, 0);
  // The chats have five texts (two of them repeat earlier ones), an empty one and two rows without any.
  assert.deepEqual([texts.texts, texts.empty, texts.repeated], [5 + 3, 3, 2]);
  assert.deepEqual(
    table?.columns
      .filter(({ textFiles }) => textFiles > 0)
      .map(({ name, textFiles }) => [name, textFiles])
      .toSorted(),
    [
      ['body', 1],
      ['id', 1],
      ['messages', 1],
      ['messages', 1],
      ['text', 1],
    ],
  );
});

test('texts that an earlier release counted by another rule are counted again', async (t) => {
  const { upload, counted, dataDir } = await openSetting(await startApp(t));
  await upload({ 'a.jsonl': `${JSON.stringify({ text: english })}\n` });
  assert.equal((await counted()).texts?.texts, 1);
  const database = new DatabaseSync(join(dataDir, 'tilth.db'));
  t.after(() => database.close());
  database.exec(`update content_statistics set facts = json_remove(json_set(facts, '$.texts.texts', 5), '$.fields')`);
  await upload({ 'b.txt': german });
  const { texts } = await counted();
  assert.deepEqual([texts?.texts, texts?.fields.map(({ field }) => field)], [2, ['text']]);
  const kept = database.prepare(`select count(*) as n from content_statistics where facts like '%"fields"%'`).get();
  assert.equal(kept?.['n'], 1, 'and stored');
});

test('statistics are those of a version or a file, are counted again at will, and go with the content', async (t) => {
  const { api, at, upload, counted, dataDir } = await openSetting(await startApp(t));
  const [first] = await upload({ 'a.txt': english });
  await counted();
  await upload({ 'b.txt': german });
  assert.equal((await counted()).texts?.texts, 2);
  assert.equal((await counted('/content-statistics?version=2')).texts?.texts, 1);
  const file = await counted(`/files/${first?.id}/content-statistics`);
  assert.deepEqual(file.texts?.languages, [{ language: 'en', count: 1 }]);
  assert.equal((await counted('/content-statistics/rebuild', 'POST')).texts?.texts, 2);
  const database = new DatabaseSync(join(dataDir, 'tilth.db'), { readOnly: true });
  t.after(() => database.close());
  const kept = (): unknown => database.prepare('select count(*) as count from content_statistics').get()?.['count'];
  assert.equal(kept(), 2);
  assert.equal((await api('DELETE', `${at}/files/${first?.id}?purge=true`)).status, 204);
  assert.equal(kept(), 1);
  assert.equal((await counted()).texts?.texts, 1);
  const { status } = await api('GET', `${at}/content-statistics?version=99`);
  assert.equal(status, 404);
});

test('a dataset without files has nothing to count', async () => {
  const { counted } = await openSetting();
  assert.deepEqual((await counted()).kinds, []);
});

test('a dataset without files waits for no other one', async () => {
  const { api, at, upload, counted } = await openSetting();
  const { body: other } = await api<{ id: string }>('POST', '/data-management/datasets', { name: 'e', type: 'TEXT' });
  await upload({ 'a.jsonl': `${JSON.stringify({ text: english.repeat(20) })}\n`.repeat(sized(1_200, 20_000)) });
  const stateOf = async (path: string): Promise<string> =>
    (await api<ContentStatistics>('GET', `${path}/content-statistics`)).body.state;
  assert.equal(await stateOf(at), 'COUNTING');
  const empty = `/data-management/datasets/${other.id}`;
  for (let tries = 0; tries < 100 && (await stateOf(empty)) !== 'READY'; tries++) await pause(5);
  assert.deepEqual([await stateOf(empty), await stateOf(at)], ['READY', 'COUNTING']);
  assert.equal((await counted()).failed.files, 0);
});

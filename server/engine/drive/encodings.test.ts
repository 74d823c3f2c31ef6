import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openEngine, step } from '../../../tests/support/engine.ts';
import { openNewSqlite } from '../../../tests/support/databases.ts';
import { encodeText } from '../../tables/encoder.ts';
import type { Encoding } from '../../encodings/encodings.ts';

const japanese =
  '吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。何でも薄暗いじめじめした所で泣いていた事だけは記憶している。';
const korean =
  '모든 국민은 인간으로서의 존엄과 가치를 가지며, 행복을 추구할 권리를 가진다. 국가는 개인이 가지는 기본적 인권을 보장한다.';
const chinese =
  '人人生而自由，在尊嚴和權利上一律平等。他們賦有理性和良心，並應以兄弟關係的精神相對待。任何人都有權享有生命、自由和人身安全。';
const russian =
  'Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью и должны поступать в духе братства.';

const texts: readonly (readonly [Encoding, string])[] = [
  ['shift_jis', japanese],
  ['euc-jp', japanese],
  ['euc-kr', korean],
  ['big5', chinese],
  [
    'gb18030',
    '人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。任何人都有权享有生命、自由和人身安全。',
  ],
  ['koi8-r', russian],
  ['windows-1251', russian],
  [
    'windows-1250',
    'Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv. Jsou nadáni rozumem a svědomím a mají spolu jednat v duchu bratrství.',
  ],
  [
    'windows-1252',
    'Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et de conscience, et doivent agir fraternellement.',
  ],
  [
    'windows-1253',
    'Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. Είναι προικισμένοι με λογική και συνείδηση.',
  ],
  [
    'windows-1254',
    'Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana sahiptirler ve birbirlerine karşı kardeşlik zihniyeti ile hareket etmelidirler.',
  ],
  [
    'windows-1255',
    'כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם. כולם חוננו בתבונה ובמצפון, לפיכך חובה עליהם לנהוג איש ברעהו ברוח של אחווה.',
  ],
  [
    'windows-1256',
    'يولد جميع الناس أحرارا متساوين في الكرامة والحقوق. وقد وهبوا عقلا وضميرا وعليهم أن يعامل بعضهم بعضا بروح الإخاء.',
  ],
];

/** KOI8-U is KOI8-R with some box-drawing characters replaced by Ukrainian letters. */
const readAs = new Map<Encoding, Encoding>([['koi8-r', 'koi8-u']]);

test('texts and tables in the encodings of the world are read, and tables keep theirs', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-encodings-'));
  const db = await openNewSqlite(join(directory, 'tilth.db'));
  const bench = await openEngine(db, directory);
  t.after(async () => {
    await bench.close();
    await db.close();
    await rm(directory, { recursive: true });
  });
  const source = [];
  const expected = new Map<string, Buffer | string>();
  const encode = (text: string, encoding: Encoding): Buffer => {
    const bytes = encodeText(text, encoding);
    assert.ok(bytes, `${encoding} has all characters of its text`);
    return Buffer.from(bytes);
  };
  for (const [encoding, text] of texts) {
    const lines = Array.from({ length: 8 }, (_, line) => `${line}  ${text}`);
    const csv = (separator: string, between: string): string =>
      ['id,text', ...lines.map((line, row) => `${row},"${line.replaceAll('  ', between)}"`)]
        .join('\r\n')
        .replaceAll(/^(id|\d+),/gm, `$1${separator}`);
    source.push(await bench.put(`${encoding}.csv`, encode(csv(',', '  '), encoding)));
    source.push(await bench.put(`${encoding}.tsv`, encode(csv('\t', '  '), encoding)));
    source.push(await bench.put(`${encoding}.txt`, encode(lines.join('\n'), encoding)));
    expected.set(`${encoding}.csv`, encode(csv(',', ' '), encoding));
    expected.set(`${encoding}.tsv`, encode(csv('\t', ' '), encoding));
    // A text file becomes UTF-8.
    expected.set(`${encoding}.txt`, lines.join('\n').replaceAll('  ', ' '));
  }
  const { id } = await bench.execute(source, { steps: [step('whitespace-normalizer')], onError: 'SET_ASIDE' });
  await bench.engine.start();
  const run = await bench.ended(id);
  assert.equal(run.status, 'COMPLETED', run.error ?? '');
  const { inputs } = await bench.engine.readInputs(run, { page: 0, size: 100 });
  assert.deepEqual(
    inputs.map(({ filePath, encoding }) => `${encoding} ${filePath.slice(filePath.lastIndexOf('.'))}`),
    texts.flatMap(([encoding]) =>
      ['.csv', '.tsv', '.txt'].map((type) => `${readAs.get(encoding) ?? encoding} ${type}`),
    ),
  );
  for (const { path, blobId } of bench.outputs()) {
    const wanted = expected.get(path);
    const bytes = await bench.bytesOf(blobId);
    if (typeof wanted === 'string') assert.equal(bytes.toString(), wanted, path);
    else assert.deepEqual(bytes, wanted, path);
  }
  assert.equal(bench.outputs().length, expected.size);
  assert.deepEqual(run.counts, {
    in: 17 * texts.length,
    kept: 17 * texts.length,
    changed: 17 * texts.length,
    dropped: 0,
    failed: 0,
    emitted: 17 * texts.length,
  });
});

for (const encoding of ['utf-16le', 'utf-16be'] as const) {
  test(`JSON Lines keep their byte order mark, whatever becomes of the first row: ${encoding}`, async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'tilth-encodings-'));
    const db = await openNewSqlite(join(directory, 'tilth.db'));
    const bench = await openEngine(db, directory, { workers: 1, shardBytes: 100 });
    t.after(async () => {
      await bench.close();
      await db.close();
      await rm(directory, { recursive: true });
    });
    const encode = (text: string): Buffer => Buffer.from(encodeText(text, encoding) ?? '');
    const rest = Array.from({ length: 20 }, (_, row) => `row ${row} ü`);
    const linesOf = (rows: readonly string[]): Buffer =>
      encode(`\ufeff${rows.map((text) => `{"text":"${text}"}\n`).join('')}`);
    const source = [
      await bench.put('changed.jsonl', linesOf(['ab  c', ...rest])),
      await bench.put('dropped.jsonl', linesOf(['a', ...rest])),
      await bench.put('failed.jsonl', linesOf(['throw', ...rest])),
      await bench.put('kept.jsonl', linesOf(['ab c', ...rest])),
    ];
    const resultOf = async (): Promise<[string, Buffer][]> =>
      Promise.all(bench.outputs().map(async ({ path, blobId }) => [path, await bench.bytesOf(blobId)]));
    const normalizer = step('whitespace-normalizer');
    const steps = [step('word-thrower'), normalizer, step('text-length-filter', { min: 2, max: 99 })];
    const run = await bench.ended(
      (await bench.execute(source, { steps, onError: 'SET_ASIDE' }, { taskId: 'task' })).id,
    );
    assert.deepEqual([run.error, run.counts.changed, run.counts.dropped, run.counts.failed], [null, 1, 1, 1]);
    assert.deepEqual(await resultOf(), [
      ['changed.jsonl', linesOf(['ab c', ...rest])],
      ['dropped.jsonl', linesOf(rest)],
      ['failed.jsonl', linesOf(rest)],
      ['kept.jsonl', linesOf(['ab c', ...rest])],
    ]);

    // Only the row is set aside.
    const blocks: Buffer[] = [];
    for await (const bytes of bench.engine.streamFailed(run)) blocks.push(bytes);
    const failed = JSON.parse(Buffer.concat(blocks).toString()) as { encoding: 'utf-8' | 'base64'; raw: string };
    assert.deepEqual(Buffer.from(failed.raw, failed.encoding), encode('{"text":"throw"}'));

    const mended = { steps: [normalizer], onError: 'SET_ASIDE' as const };
    const again = await bench.ended((await bench.execute(source, mended, { taskId: 'task', failedOf: run.id })).id);
    assert.deepEqual([again.error, again.counts.in], [null, 1]);
    assert.deepEqual(await resultOf(), [['failed.jsonl', linesOf(['throw'])]]);
  });
}

import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { toTar, toZip } from '../../../../tests/contract/archive-bytes.ts';
import { openArchiveTarget } from '../../../../tests/support/archive-target.ts';
import { until } from '../../../../tests/support/until.ts';
import { findTool, testWith } from '../../../../tests/support/tools.ts';
import { encodeText } from '../../../tables/encoder.ts';
import { collectUndeclaredNames, parseNameEncoding, type NameEncoding } from './name-encodings.ts';

const names = {
  gb18030: ['数据集/训练数据.jsonl', '数据集/说明.txt', '第1章 概述.pdf', '报告(最终版).docx', '图.txt'],
  shift_jis: [
    '新しいフォルダー/データ.jsonl',
    'お読みください.txt',
    '第1章 はじめに.pdf',
    'ソース/表示.txt',
    '会議録.doc',
  ],
  big5: ['資料集/訓練資料.jsonl', '第一章 概論.pdf', '會議紀錄(最終版).doc', '功能表.txt', '許功蓋.doc'],
  'euc-kr': ['데이터/학습데이터.jsonl', '제1장 개요.pdf', '회의록(최종).doc', '읽어주세요.txt', '한국어.txt'],
  ibm866: ['Данные/обучение.jsonl', 'Глава 1.pdf', 'Описание.txt', 'Отчёт.docx'],
} as const;
type Legacy = keyof typeof names;
const legacies = Object.keys(names) as Legacy[];

function encode(text: string, encoding: Legacy): Buffer {
  const bytes = encodeText(text, encoding);
  assert.ok(bytes !== undefined, `${text} in ${encoding}`);
  return Buffer.from(bytes);
}

/** A zip whose names are in an undeclared encoding, as old systems write them. */
function undeclaredZip(raws: readonly Buffer[]): Buffer {
  const zip = toZip(raws.map((name, index) => ({ name, content: `${index}` })));
  // toZip declares UTF-8 in every header: clear bit 11.
  for (let at = zip.indexOf('PK'); at !== -1; at = zip.indexOf('PK', at + 2)) {
    const kind = zip.readUInt16LE(at + 2);
    if (kind === 0x0403) zip.writeUInt16LE(0, at + 6);
    if (kind === 0x0201) zip.writeUInt16LE(0, at + 8);
  }
  return zip;
}

function readNames(raws: readonly Buffer[], chosen?: NameEncoding) {
  const collected = collectUndeclaredNames();
  for (const raw of raws) collected.add(raw);
  const { decode, receipt } = collected.reading(chosen);
  return { texts: raws.map((raw) => decode(raw)), receipt };
}

for (const encoding of legacies) {
  test(`names in ${encoding} are read as such, all together`, () => {
    const texts = names[encoding];
    const { texts: read, receipt } = readNames(texts.map((text) => encode(text, encoding)));
    assert.deepEqual(read, texts);
    assert.deepEqual(receipt, { encoding, guessed: true, entries: texts.length });
  });
}

test('accented letters of code page 437 are not taken for Chinese or Japanese', () => {
  for (const [hex, text] of [
    ['63 61 66 82', 'café'],
    ['72 82 73 75 6d 82 2e 64 6f 63', 'résumé.doc'],
    ['4d 81 6e 63 68 65 6e 2f 47 72 94 e1 65 2e 74 78 74', 'München/Größe.txt'],
    ['53 84 6f 20 50 61 75 6c 6f', 'Säo Paulo'],
    ['80 61 20 76 61', 'Ça va'],
  ] as const)
    assert.deepEqual(readNames([Buffer.from(hex.replaceAll(' ', ''), 'hex')]), {
      texts: [text],
      receipt: { encoding: 'cp437', guessed: true, entries: 1 },
    });
});

test('undeclared UTF-8 is no guess, and stays UTF-8 beside a few names of another encoding', () => {
  const utf8 = ['文.txt', '資料.txt', 'naïve.txt'].map((text) => Buffer.from(text));
  assert.deepEqual(readNames(utf8), { texts: ['文.txt', '資料.txt', 'naïve.txt'], receipt: undefined });
  const mixed = readNames([...utf8, encode('数据集/训练数据.jsonl', 'gb18030')]);
  assert.deepEqual(mixed, {
    texts: ['文.txt', '資料.txt', 'naïve.txt', '数据集/训练数据.jsonl'],
    receipt: { encoding: 'gb18030', guessed: true, entries: 1 },
  });
  // The bytes of this character happen to be valid UTF-8.
  assert.ok(isUtf8(encode('图', 'gb18030')));
  const chinese = ['图.txt', '数据集/训练数据.jsonl', '数据集/说明.txt'];
  assert.deepEqual(readNames(chinese.map((text) => encode(text, 'gb18030'))).texts, chinese);
});

test('labels of code pages are known, nonsense and UTF-16 are refused', () => {
  assert.deepEqual(['CP932', 'cp936', 'gbk', 'cp949', 'cp950', 'ibm437', 'latin1', 'utf8'].map(parseNameEncoding), [
    'shift_jis',
    'gb18030',
    'gb18030',
    'euc-kr',
    'big5',
    'cp437',
    'windows-1252',
    'utf-8',
  ]);
  for (const label of ['', 'klingon', 'utf-16le']) assert.throws(() => parseNameEncoding(label), /encoding of names/);
});

test('an archive says how its names were read, and the caller may say how', async () => {
  const app = await shared.open();
  for (const encoding of legacies) {
    const texts = [...names[encoding]];
    const zip = undeclaredZip(texts.map((text) => encode(text, encoding)));
    const guessed = await openArchiveTarget(app);
    const receipt = await guessed.unpack('x.zip', zip);
    assert.deepEqual(
      [receipt.status, receipt.nameEncoding, receipt.guessedNames],
      ['UNPACKED', encoding, texts.length],
    );
    assert.deepEqual((await guessed.paths()).toSorted(), texts.toSorted());
    const set = await openArchiveTarget(app);
    const { body } = await set.stream(`format=zip&nameEncoding=${encoding}`, zip);
    assert.deepEqual([body.files, body.failed, body.nameEncoding, body.guessedNames], [texts.length, 0, encoding, 0]);
    assert.deepEqual((await set.paths()).toSorted(), texts.toSorted());
  }
  const wrong = await openArchiveTarget(app);
  const zip = undeclaredZip([
    encode('お読みください.txt', 'shift_jis'),
    Buffer.from([0x61, 0xff, 0x2e]),
    Buffer.from('plain.txt'),
  ]);
  const receipt = await wrong.unpack('x.zip', zip, { nameEncoding: 'shift_jis' });
  assert.deepEqual([receipt.files, receipt.nameEncoding, receipt.guessedNames], [2, 'shift_jis', 0]);
  assert.deepEqual(receipt.refusals, [
    {
      path: 'a\u00a0.',
      reason: 'The name is not valid shift_jis',
      reasonCode: 'NAME_NOT_VALID',
      reasonParams: { encoding: 'shift_jis' },
    },
  ]);
  const { status } = await wrong.stream('format=zip&nameEncoding=klingon', zip);
  assert.equal(status, 400);
  const plain = await wrong.stream('format=zip', toZip([{ name: '高.txt', content: 'x' }]));
  assert.deepEqual([plain.body.nameEncoding, plain.body.guessedNames], [null, 0]);
});

test('the language of the caller is a hint for the guess, which a warning tells', async () => {
  const app = await shared.open();
  // `kůň.jpg` in code page 852: one short name may be many things.
  const zip = undeclaredZip([Buffer.from('6b85e52e6a7067', 'hex')]);
  const headers = (languages: string) => ({ authorization: `Bearer ${app.token}`, 'accept-language': languages });
  const target = await openArchiveTarget(app);
  const base = `${app.url}/api/v1${target.base}/upload`;
  type Answer = { nameEncoding: string; guessedNames: number; warnings: string[]; warningSentences: unknown[] };
  const streamed = await fetch(`${base}/stream?format=zip`, {
    method: 'POST',
    headers: headers('cs-CZ, en;q=0.5'),
    body: new Uint8Array(zip),
  });
  const body = (await streamed.json()) as Answer;
  assert.deepEqual([body.nameEncoding, body.guessedNames], ['cp852', 1]);
  assert.match(body.warnings[0] ?? '', /^1 name has no declared encoding and was read as cp852, a guess/);
  assert.deepEqual(body.warningSentences, [{ code: 'NAMES_GUESSED', params: { names: 1, encoding: 'cp852' } }]);
  assert.deepEqual(await target.paths(), ['kůň.jpg']);

  const announced = await fetch(`${base}/pre-upload`, {
    method: 'POST',
    headers: { ...headers('cs'), 'content-type': 'application/json' },
    body: JSON.stringify({ totalFileNum: 1, totalSize: zip.length, hasArchive: true, prefix: 'chunked' }),
  });
  const reqId = (await announced.json()) as string;
  const form = new FormData();
  for (const [name, value] of Object.entries({ reqId, fileNo: 0, fileName: 'x.zip', totalChunkNum: 1, chunkNo: 1 }))
    form.set(name, String(value));
  form.set('file', new Blob([new Uint8Array(zip)]), 'blob');
  await app.api('POST', `${target.base}/upload/chunk`, form);
  await until(async () => (await target.paths()).includes('chunked/kůň.jpg'));
  const set = await target.stream('format=zip&nameEncoding=ibm852&prefix=set', zip);
  assert.deepEqual([set.body.nameEncoding, set.body.guessedNames, set.body.warnings], ['cp852', 0, []]);
});

test('the names of an old tar are read in the encoding that the caller sets', async () => {
  const app = await shared.open();
  const tar = toTar([
    { name: encode('数据集/', 'gb18030'), type: '5' },
    { name: encode('数据集/说明.txt', 'gb18030'), content: 'x' },
    { name: 'plain.txt', content: 'x' },
  ]);
  const target = await openArchiveTarget(app);
  const refused = await target.stream('format=tar', tar);
  assert.deepEqual([refused.body.files, refused.body.failed, refused.body.nameEncoding], [1, 2, null]);
  assert.equal(refused.body.failures[0]?.reason, 'The name is not valid UTF-8');
  const { body } = await target.stream('format=tar&nameEncoding=gbk', tar);
  assert.deepEqual([body.files, body.failed, body.nameEncoding, body.guessedNames], [2, 0, 'gb18030', 0]);
  assert.deepEqual((await target.paths()).toSorted(), ['plain.txt', '数据集/说明.txt'].toSorted());
});

async function openFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tilth-names-'));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

/** Writes names in the code page of a Windows system, without the flag for UTF-8. */
const pythonZip = `
import sys, zipfile, json
class Entry(zipfile.ZipInfo):
    def _encodeFilenameFlags(self):
        return self.filename.encode(sys.argv[2]), self.flag_bits & ~0x800
with zipfile.ZipFile(sys.argv[1], 'w') as archive:
    for name in json.loads(sys.argv[3]):
        archive.writestr(Entry(name), name)
`;
import { sharedApp } from '../../../../tests/support/shared-app.ts';

const shared = sharedApp(import.meta.url);

const codePages: Readonly<Record<Legacy, string>> = {
  gb18030: 'cp936',
  shift_jis: 'cp932',
  big5: 'cp950',
  'euc-kr': 'cp949',
  ibm866: 'cp866',
};

testWith([findTool('python3')], "what Python's zipfile writes in code pages of Windows", async (t, python) => {
  const app = await shared.open();
  const folder = await openFolder(t);
  for (const encoding of legacies) {
    const path = join(folder, `${encoding}.zip`);
    execFileSync(python ?? '', ['-c', pythonZip, path, codePages[encoding], JSON.stringify(names[encoding])]);
    const target = await openArchiveTarget(app);
    const receipt = await target.unpack('x.zip', await readFile(path));
    assert.deepEqual([receipt.nameEncoding, receipt.guessedNames], [encoding, names[encoding].length]);
    assert.deepEqual((await target.paths()).toSorted(), [...names[encoding]].toSorted());
  }
});

testWith(
  [findTool('7z', 'p7zip-full'), findTool('zip')],
  'what 7-Zip and Info-ZIP write: declared names, and the Unicode path beside another name',
  async (t, sevenZip, zip) => {
    const app = await shared.open();
    const folder = await openFolder(t);
    const tree = join(folder, 'tree');
    const texts = ['café.txt', '数据/说明.txt', 'データ.txt', 'Größe.txt'];
    for (const text of texts) {
      await mkdir(join(tree, text, '..'), { recursive: true });
      await writeFile(join(tree, text), text);
    }
    const run = (command: string | undefined, ...args: string[]): void =>
      void execFileSync(command ?? '', args, {
        cwd: tree,
        stdio: 'ignore',
        env: { ...process.env, LC_ALL: 'C.UTF-8' },
      });
    run(sevenZip, 'a', '-tzip', join(folder, '7z.zip'), '.');
    run(sevenZip, 'a', '-tzip', '-mcu=on', join(folder, '7z-unicode.zip'), '.');
    run(zip, '-r', join(folder, 'info.zip'), '.');
    run(zip, '-r', '-UN=UTF8', join(folder, 'info-unicode.zip'), '.');
    for (const name of ['7z', '7z-unicode', 'info', 'info-unicode']) {
      const target = await openArchiveTarget(app);
      const receipt = await target.unpack('x.zip', await readFile(join(folder, `${name}.zip`)));
      assert.deepEqual([receipt.status, receipt.refused], ['UNPACKED', 0], name);
      assert.deepEqual((await target.paths()).toSorted(), texts.toSorted(), name);
    }
  },
);

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeText } from '../tables/encoder.ts';
import { encodingOf, encodings, type Encoding } from './encodings.ts';
import { detectEncoding } from './encoding-detection.ts';

const detect = (bytes: Uint8Array, isWholeFile = true): Encoding | undefined =>
  detectEncoding({ bytes, isWholeFile }, true)?.encoding;

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

const western = [
  'é',
  'Größe',
  'ÄÖÜ',
  'ÜBUNG',
  'INFORMAÇÃO',
  'ação',
  'naïve café',
  '« É »',
  '¿Qué?',
  'São Paulo',
  'créée',
  'Ærø',
  'smörgåsbord',
  'DÉJÀ VU',
  'Zürich; Straße; Öl',
  '5 °C',
  '£ 3 © 2020',
  'Ñandú',
  'Le cœur a ses raisons'.replace('œ', 'oe'),
  'Übermäßig ähnliche Größen, für die Straße',
];
for (const text of western) {
  test(`western text, however short: ${text}`, () => {
    assert.equal(detect(latin1(text)), text === 'Le coeur a ses raisons' ? 'utf-8' : 'windows-1252');
  });
}

// GB18030 bytes in hex, since Node can't encode such texts.
const chinese: readonly [text: string, bytes: string][] = [
  ['高', 'b8df'],
  ['中文', 'd6d0 cec4'],
  ['你好', 'c4e3 bac3'],
  ['Hello 世界', '48656c6c6f20 cac0 bde7'],
  ['价格：30元', 'bcdb b8f1 a3ba 3330 d4aa'],
  ['ID,名称', '49442c c3fb b3c6'],
  ['“引用”', 'a1b0 d2fd d3c3 a1b1'],
  ['第1章', 'b5da 31 d5c2'],
  ['测试a文本b', 'b2e2 cad4 61 cec4 b1be 62'],
];
for (const [text, bytes] of chinese) {
  test(`Chinese text in GB18030, however short: ${text}`, () => {
    assert.equal(new TextDecoder('gb18030').decode(hex(bytes)), text);
    assert.equal(detect(hex(bytes)), 'gb18030');
  });
}

for (const text of [
  'hi',
  'ab\n',
  'The cat\n',
  'Привет, мир. Это текст\n',
  '안녕하세요 세계 여러분\n',
  '数据，准备\n数据',
  '日本語のテキスト、です\n',
]) {
  test(`UTF-16 without a mark: ${JSON.stringify(text)}`, () => {
    assert.equal(detect(Buffer.from(text, 'utf16le')), 'utf-16le');
    assert.equal(detect(Buffer.from(text, 'utf16le').swap16()), 'utf-16be');
  });
}

/** One or two sentences per language, in the encodings used for it before UTF-8. */
const labelled: readonly [encoding: Encoding, text: string][] = [
  ['gb18030', '数据准备服务把文件变成可以训练的样本，每个样本的去向都写在账本里。'],
  ['big5', '資料準備服務把檔案變成可以訓練的樣本，每個樣本的去向都寫在帳本裡。我們歡迎各位使用這個系統。'],
  ['shift_jis', 'データ準備サービスはファイルを学習用のサンプルに変えます。すべてのサンプルが記録されます。'],
  ['euc-jp', 'データ準備サービスはファイルを学習用のサンプルに変えます。すべてのサンプルが記録されます。'],
  ['euc-kr', '데이터 준비 서비스는 파일을 학습할 수 있는 샘플로 바꿉니다. 모든 샘플이 장부에 기록됩니다.'],
  // KOI8-U, which has all KOI8-R letters at the same codes.
  ['koi8-u', 'Служба подготовки данных превращает файлы в образцы для обучения. Ничего не пропадает.'],
  ['windows-1251', 'Служба подготовки данных превращает файлы в образцы для обучения. Ничего не пропадает.'],
  ['windows-1250', 'Služba přípravy dat mění soubory na vzorky pro učení. Žádný řádek se neztratí bez důvodu.'],
  ['windows-1253', 'Η υπηρεσία προετοιμασίας δεδομένων μετατρέπει αρχεία σε δείγματα. Τίποτα δεν χάνεται.'],
  ['windows-1254', 'Veri hazırlama hizmeti dosyaları eğitim için örneklere dönüştürür. Hiçbir şey sessizce kaybolmaz.'],
  ['windows-1256', 'خدمة إعداد البيانات تحول الملفات إلى عينات للتدريب. لا شيء يضيع في صمت.'],
  ['windows-1252', 'Le service prépare les données : rien n’est perdu, et chaque échantillon a sa raison. Où ça ?'],
];
for (const [encoding, text] of labelled) {
  test(`text of two sentences, detected, read and written back: ${encoding}`, () => {
    const bytes = encodeText(text, encoding);
    assert.ok(bytes !== undefined);
    assert.equal(new TextDecoder(encoding).decode(bytes), text);
    assert.equal(detect(bytes), encoding);
  });
}

test('every character that an encoding decodes is written back as bytes that decode to it', () => {
  for (const encoding of encodings) {
    const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
    let characters = 0;
    for (let point = 0; point < 0x30000; point += 1) {
      if (point >= 0xd800 && point < 0xe000) continue;
      const text = String.fromCodePoint(point);
      const bytes = encodeText(text, encoding);
      if (bytes === undefined) continue;
      characters += 1;
      if (decoder.decode(bytes) !== text) assert.fail(`${encoding}: U+${point.toString(16)} comes back otherwise`);
    }
    assert.ok(characters >= 160, `${encoding}: ${characters} characters`);
  }
});

test('a sequence of UTF-8 that is cut short is damage, not another encoding', () => {
  assert.equal(detect(Buffer.concat([Buffer.from('id,text\n1,'), hex('e695'), Buffer.from(',x\n')])), 'utf-8');
  assert.equal(detect(latin1('n,text\n1,Ærø\n')), 'windows-1252');
});

test('names of encodings are those of the web', () => {
  const names = [
    'UTF8',
    'latin1',
    'GBK',
    'gb2312',
    'sjis',
    'ks_c_5601-1987',
    'cp1251',
    'utf-16',
    'iso-2022-jp',
    'x',
    '',
  ];
  const found = names.map(encodingOf);
  const expected = ['utf-8', 'windows-1252', 'gb18030', 'gb18030', 'shift_jis', 'euc-kr', 'windows-1251', 'utf-16le'];
  assert.deepEqual(found, [...expected, undefined, undefined, undefined]);
});

test('a few broken bytes make UTF-8 no other encoding', () => {
  assert.equal(detect(Buffer.concat([Buffer.from('données, déjà, été'), Buffer.from([0xe9])])), 'utf-8');
  assert.equal(detect(Buffer.concat([Buffer.from('é'), latin1('données, déjà, été')])), 'windows-1252');
});

test('a head may end within a character', () => {
  for (const encoding of ['utf-8', 'utf16le'] as const) {
    const whole = Buffer.from('数据，准备服务\n把文件变成样本。', encoding);
    for (let length = 12; length < whole.length; length += 1) {
      assert.equal(detect(whole.subarray(0, length), false), encoding === 'utf-8' ? 'utf-8' : 'utf-16le', `${length}`);
    }
  }
  const gb = hex('cafdbeddd7bcb1b8b7fecef1b0d1cec4bcfeb1e4b3c9bfc9d2d4d1b5c1b7b5c4d1f9b1bea1a3');
  for (let length = 8; length < gb.length; length += 1) assert.equal(detect(gb.subarray(0, length), false), 'gb18030');
});

test('the byte order mark decides', () => {
  assert.deepEqual(detectEncoding({ bytes: hex('efbbbf'), isWholeFile: true }, true), {
    encoding: 'utf-8',
    markBytes: 3,
    certainty: 'CERTAIN',
  });
  assert.deepEqual(detectEncoding({ bytes: hex('fffe'), isWholeFile: true }, true), {
    encoding: 'utf-16le',
    markBytes: 2,
    certainty: 'CERTAIN',
  });
  assert.deepEqual(detectEncoding({ bytes: hex('feff'), isWholeFile: true }, true), {
    encoding: 'utf-16be',
    markBytes: 2,
    certainty: 'CERTAIN',
  });
});

test('a bad byte or two among little UTF-8 is damage, and no windows-1252', () => {
  const read = (...parts: (string | readonly number[])[]): string | undefined => {
    const bytes = Buffer.concat(
      parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))),
    );
    return detectEncoding({ bytes, isWholeFile: true }, true)?.encoding;
  };
  assert.equal(read('a,b\n1,ok\n2,b', [0xff], 'd\n3,é\n'), 'utf-8');
  assert.equal(read('a,b\n1,ok\n2,b', [0xff, 0xfe], 'd\n3,é\n'), 'utf-8');
  assert.equal(read('n,é\n1,', [0xe9], '\n'), 'utf-8');
  assert.equal(read('text\n', [0xff], '\n12 €\n'), 'utf-8');
  // A lone letter, and quotations ending in a letter whose byte may begin a UTF-8 sequence.
  assert.equal(read('name\nJos', [0xe9], '\n'), 'windows-1252');
  assert.equal(read('a,b\n1,', [0xab], 'CAF', [0xc9, 0xbb], '\n'), 'windows-1252');
  assert.equal(read('a,b\n1,', [0xbb], 'Spa', [0xdf, 0xab], '\n2,M', [0xfc], 'ller\n'), 'windows-1252');
});

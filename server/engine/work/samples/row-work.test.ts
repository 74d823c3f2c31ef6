import assert from 'node:assert/strict';
import { crc32 } from 'node:zlib';
import { test } from 'node:test';
import fc from 'fast-check';
import { Type } from 'typebox';
import { defineOperator, drop } from '../../../operators/operator.ts';
import { encodeText } from '../../../tables/encoder.ts';
import { encodings, type Encoding } from '../../../tables/encodings.ts';
import type { ReadAt } from '../../../tables/lines.ts';
import type { LedgerLine } from '../../orders/ledger-line.ts';
import { planShards, type PlanOptions } from '../../drive/shards/plan.ts';
import type { InputFile } from '../../drive/job.ts';
import type { Counts } from '../../../runs/index.ts';
import type { Piece, Recipe } from '../../orders/shard.ts';
import { processShard } from './shard-work.ts';
import { scanTable } from './table-scan.ts';
import { sized } from '../../../../tests/support/long-tests.ts';
import { noEffects } from '../../../../tests/support/model-effects.ts';

type Result = { bytes: Buffer; counts: Counts; ledger: LedgerLine[]; parts: number };

function readerOf(content: Uint8Array): ReadAt {
  return (target, position) => {
    const part = content.subarray(position, position + target.length);
    target.set(part);
    return part.length;
  };
}

const step = (operatorId: string): Recipe['steps'][number] => ({ operatorId, version: '1.0.0', params: {} });

type Options = {
  shardBytes?: number;
  steps?: string[];
  textField?: string;
  encoding?: Encoding;
  maxRowBytes?: number;
  isScanned?: boolean;
};

/** Runs a table through the whole path: it is planned and scanned, each shard processed, and the outputs joined. */
async function run(path: string, content: Uint8Array, options: Options = {}): Promise<Result> {
  const {
    shardBytes = 1 << 30,
    steps = ['fate'],
    textField = null,
    encoding = null,
    maxRowBytes = 64 << 20,
    isScanned = true,
  } = options;
  const recipe: Recipe = { steps: steps.map(step), onError: 'KEEP', textField, encoding };
  const read = readerOf(content);
  const file: InputFile = { fileId: 'f', path, sizeBytes: content.length, blobId: 'b' };
  const place = { path: '', offset: 0 };
  const cutColumn = (): never => assert.fail('no such table');
  const plan: PlanOptions = { shardBytes, shardFiles: 10, cutColumn, cutTable: () => Promise.resolve(undefined) };
  if (isScanned) {
    plan.cutTable = async ({ sizeBytes }, format) =>
      scanTable(
        {
          path,
          sizeBytes,
          crc32: crc32(content),
          format,
          place,
          field: textField,
          encoding,
          stepBytes: shardBytes,
          maxRowBytes,
        },
        read,
        () => {},
      );
  }
  const pieces: Piece[] = [];
  for await (const shard of planShards(
    (async function* () {
      yield [file];
    })(),
    plan,
  ))
    pieces.push(...shard.pieces);
  const outputs: Uint8Array[] = [];
  const ledger: LedgerLine[] = [];
  const counts: Counts = { in: 0, kept: 0, changed: 0, dropped: 0, failed: 0, emitted: 0 };
  for (const piece of pieces) {
    const limits = { maxRowBytes, maxDocumentBytes: 1 << 20 };
    const { from = 0, to = 0, crc32: known } = piece.range ?? {};
    const check = known === undefined ? {} : { check: { from, to, crc32: known } };
    const job = { recipe, pieces: [{ ...piece, place, ...check }], poison: [], limits, verdicts: [] };
    const progress = { sample: () => {}, step: () => {}, batch: () => {} };
    const resources = { operators: [fate], effects: noEffects, open: () => read, progress };
    const result = processShard(job, resources);
    for (const { from, start, end } of result.pieces[0]?.outputs ?? []) {
      outputs.push((from === 'source' ? content : result.bytes).subarray(start, end));
    }
    for (const key of ['in', 'kept', 'changed', 'dropped', 'failed', 'emitted'] as const)
      counts[key] += result.counts[key];
    const lines = Buffer.from(result.ledger).toString().split('\n').slice(0, -1);
    for (const line of lines) ledger.push(JSON.parse(line) as LedgerLine);
  }
  return { bytes: Buffer.concat(outputs), counts, ledger, parts: pieces.length };
}

/** The outcome of the operator `fate`, which the text itself specifies. */
function fateOf(text: string): string[] | 'failed' {
  if (text.includes('drop')) return [];
  if (text.includes('throw')) return 'failed';
  if (text.includes('split')) return text.split('split');
  return [text.replaceAll('change', 'a "new"\nvalue, é; 高')];
}

const fate = defineOperator({
  id: 'fate',
  version: '1.0.0',
  name: 'Fate',
  description: 'Does what the text says.',
  modality: 'TEXT',
  kind: 'MAPPER',
  categories: [],
  params: Type.Object({}),
  examples: [],
  each: () => (sample) => {
    const outcome = fateOf(sample.text);
    if (outcome === 'failed') throw new Error('as it was told');
    const [first] = outcome;
    if (first === undefined) return drop('as it was told');
    return outcome.length === 1
      ? first === sample.text
        ? sample
        : { text: first }
      : outcome.map((text) => ({ text }));
  },
});

type Cell = { content: string; isQuoted: boolean };
type Table = { delimiter: string; newline: string; rows: Cell[][]; blanks: boolean[]; isEnded: boolean };

const words = fc.constantFrom('word', 'drop', 'change', 'throw', 'split', '1.50', 'é', '高低', '', ' ', '€', "O'x");
const plainCell = fc.array(words, { maxLength: 3 }).map((parts) => ({ content: parts.join(' '), isQuoted: false }));

function quotedCell(delimiter: string, newline: string): fc.Arbitrary<Cell> {
  const part = fc.oneof(words, fc.constantFrom('"', delimiter, newline, '\n', `"${delimiter}"`));
  return fc.array(part, { maxLength: 5 }).map((parts) => ({ content: parts.join(''), isQuoted: true }));
}

const anyTable: fc.Arbitrary<Table> = fc
  .record({ delimiter: fc.constantFrom(',', ';', '\t', '|'), newline: fc.constantFrom('\n', '\r\n') })
  .chain(({ delimiter, newline }) =>
    fc.record({
      delimiter: fc.constant(delimiter),
      newline: fc.constant(newline),
      rows: fc.array(fc.array(fc.oneof(plainCell, quotedCell(delimiter, newline)), { minLength: 3, maxLength: 3 }), {
        maxLength: 12,
      }),
      blanks: fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
      isEnded: fc.boolean(),
    }),
  );

function written({ content, isQuoted }: Cell): string {
  return isQuoted ? `"${content.replaceAll('"', '""')}"` : content;
}

/** The table as a file, and the expected result, from a writer and a reader that don't work on bytes. */
function expectationOf({ delimiter, newline, rows, blanks, isEnded }: Table): {
  source: string;
  result: string;
  counts: Counts;
} {
  const header = `id${delimiter}text${delimiter}"n"${newline}`;
  let source = header;
  let result = header;
  const counts: Counts = { in: 0, kept: 0, changed: 0, dropped: 0, failed: 0, emitted: 0 };
  for (const [index, row] of rows.entries()) {
    const isLast = index === rows.length - 1;
    const lineEnd = isLast && !isEnded ? '' : newline;
    const blank = blanks[index] === true ? newline : '';
    const write = (cells: Cell[]): string => cells.map(written).join(delimiter);
    source += `${blank}${write(row)}${lineEnd}`;
    const [id, text, n] = row;
    if (id === undefined || text === undefined || n === undefined) throw new Error('three cells');
    const outcome = fateOf(text.content);
    const texts = outcome === 'failed' ? [text.content] : outcome;
    counts.in += 1;
    counts.emitted += texts.length;
    if (outcome === 'failed') counts.failed += 1;
    else if (texts.length === 0) counts.dropped += 1;
    else counts.kept += 1;
    if (outcome !== 'failed' && texts.length > 0 && (texts.length > 1 || texts[0] !== text.content))
      counts.changed += 1;
    result += blank;
    for (const [number, content] of texts.entries()) {
      const isQuoted = text.isQuoted || [delimiter, '"', '\n', '\r'].some((sign) => content.includes(sign));
      const isSame = content === text.content;
      const end = number === texts.length - 1 || lineEnd !== '' ? lineEnd : newline;
      result += `${write([id, isSame ? text : { content, isQuoted }, n])}${end}`;
    }
  }
  return { source, result, counts };
}

const writers: Record<string, (text: string) => Buffer> = {
  'utf-8': (text) => Buffer.from(text),
  'utf-8 with its mark': (text) => Buffer.from(`\ufeff${text}`),
  'utf-16le with its mark': (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  'utf-16be with its mark': (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
  'utf-16le': (text) => Buffer.from(text, 'utf16le'),
};
for (const [name, encode] of Object.entries(writers)) {
  test(`delimited tables come out as they should, cut anywhere: ${name}`, async () => {
    await fc.assert(
      fc.asyncProperty(anyTable, fc.integer({ min: 1, max: 90 }), async (table, shardBytes) => {
        const { source, result, counts } = expectationOf(table);
        const path = table.delimiter === '\t' ? 't.tsv' : 't.csv';
        for (const options of [{}, { shardBytes }, { shardBytes, isScanned: false }]) {
          const found = await run(path, encode(source), { ...options, textField: 'text' });
          assert.equal(found.bytes.toString('latin1'), encode(result).toString('latin1'));
          assert.deepEqual(found.counts, counts);
          assert.equal(found.ledger.length, counts.in);
        }
      }),
      { numRuns: sized(30, 150) },
    );
  });
}

for (const name of ['utf-8', 'utf-16le', 'utf-16be'] as const) {
  test(`a byte order mark is no part of a first row over the limit: ${name}`, async () => {
    const encode = writers[`${name} with its mark`];
    assert.ok(encode);
    const source = encode(`{"text":"${'long '.repeat(500)}"}\n{"text":"drop"}\n{"text":"word"}\n`);
    const result = encode(`{"text":"${'long '.repeat(500)}"}\n{"text":"word"}\n`);
    for (const isScanned of [true, false]) {
      const found = await run('t.jsonl', source, { maxRowBytes: 1000, shardBytes: 1000, isScanned });
      assert.deepEqual([found.counts.in, found.counts.failed, found.counts.dropped], [3, 1, 1]);
      assert.equal(found.bytes.toString('latin1'), result.toString('latin1'));
    }
  });
}

/** In these encodings, a character may contain a byte that is `|` or a letter in ASCII. */
for (const encoding of ['gb18030', 'big5', 'shift_jis', 'euc-jp', 'euc-kr', 'koi8-r', 'windows-1252'] as const) {
  test(`delimited tables keep their encoding and every untouched byte: ${encoding}`, async () => {
    // Cells whose bytes have several encoded forms; only the text is re-encoded.
    const cells = fc.constantFrom('', 'a', 'a "b"', ...decodable(encoding));
    const rows = fc.array(fc.tuple(cells, fc.constantFrom('a', 'drop', 'asplitb', 'throw'), cells), { maxLength: 9 });
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 1, max: 60 }), async (table, shardBytes) => {
        const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;
        const line = (...[left, text, right]: string[]): string =>
          `${quoted(left ?? '')},${text},${quoted(right ?? '')}\n`;
        const all = table.map((row) => line(...row)).join('');
        const expected = table.flatMap(([left, text, right]) => {
          if (text === 'drop') return [];
          return text.split('split').map((part) => line(left, part, right));
        });
        const write = (text: string): Buffer => Buffer.from(encodeText(`l,text,r\n${text}`, encoding) ?? []);
        for (const options of [{}, { shardBytes }, { shardBytes, isScanned: false }]) {
          const found = await run('t.csv', write(all), { ...options, encoding, textField: 'text' });
          assert.equal(found.bytes.toString('hex'), write(expected.join('')).toString('hex'));
          assert.equal(found.ledger.length, table.length);
        }
      }),
      { numRuns: sized(12, 60) },
    );
  });
}

/** Some two-byte characters of an encoding that can be encoded again. */
function decodable(encoding: Encoding): string[] {
  const found: string[] = [];
  for (let lead = 0x81; lead < 0xff; lead += 3) {
    for (const trail of [0x40, 0x5c, 0x7c, 0xa1, 0xfc]) {
      const text = new TextDecoder(encoding).decode(Uint8Array.of(lead, trail));
      if (!text.includes('\ufffd') && encodeText(text, encoding) !== undefined) found.push(text);
    }
  }
  return found;
}

/** The ledger lines without the places of rows in their shard, and without the text of a row over the limit. */
function linesOf({ ledger }: Result, limit: number): unknown[] {
  return ledger.map(([, , verdict, failedStep, reason, scores, raw]) => {
    const { text = null, start = null, lengthBytes = null } = raw ?? {};
    const shown = (lengthBytes ?? 0) + 2 <= limit ? text : '';
    return [verdict, failedStep ?? null, reason ?? null, scores ?? null, shown, start, lengthBytes];
  });
}

/** Arbitrary lines: shards must agree, every row must be accounted for, and nothing else may be lost. */
const hostile = fc
  .array(
    fc.constantFrom(
      '"',
      '""',
      ',',
      '\n',
      '\r\n',
      '\r',
      'a',
      'text',
      ' ',
      '\u0000',
      'é',
      '","',
      '"\n',
      ',"',
      '{"text":"a"}\n',
    ),
    {
      maxLength: 60,
    },
  )
  .map((parts) => Buffer.from(parts.join('')));

for (const [path, head] of [
  ['h.csv', 'id,text\n1,"a b"\n2,"c"\n'],
  ['h.tsv', 'id\ttext\n1\t"a b"\n2\t"c"\n'],
  ['h.csv', 'text\na\n'],
  ['h.csv', ''],
  ['h.csv', '\n\nsep=;\n'],
  ['h.jsonl', '{"text":"a"}\n'],
] as const) {
  test(`however hostile the bytes, the size of shards changes nothing: ${path} ${JSON.stringify(head)}`, async () => {
    await fc.assert(
      fc.asyncProperty(
        hostile,
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom(12, 40, 1 << 20),
        fc.boolean(),
        fc.boolean(),
        async (tail, size, maxRowBytes, isDamaged, isWide) => {
          const hasHeader = head.trim().length > 0 && !head.includes('sep=');
          const bytes = Buffer.concat([Buffer.from(head), tail, Buffer.from(isDamaged ? [0xff, 0x0a] : [])]);
          const content = isWide ? Buffer.from(bytes.toString('latin1'), 'utf16le') : bytes;
          // A header over the limit makes the file no table. Other bytes may make it a file of another encoding, whose
          // rows are measured in that encoding or in UTF-8.
          const limit = isWide || isDamaged || !hasHeader ? 1 << 20 : maxRowBytes;
          const options = { textField: 'text', steps: ['fate'], maxRowBytes: limit };
          const whole = await run(path, content, options);
          for (const isScanned of [true, false]) {
            const cut = await run(path, content, { ...options, shardBytes: Math.min(size, limit), isScanned });
            assert.equal(cut.bytes.toString('latin1'), whole.bytes.toString('latin1'));
            assert.deepEqual(cut.counts, whole.counts);
            assert.deepEqual(linesOf(cut, limit), linesOf(whole, limit));
          }
          const { counts, ledger } = whole;
          assert.equal(counts.in, counts.kept + counts.dropped + counts.failed);
          assert.equal(ledger.length, counts.in);
          // Whatever isn't written is in the ledger, to the byte.
          const lost = ledger.flatMap(([, , , , , , raw]) => (raw === undefined || raw === null ? [] : [raw]));
          for (const { start, lengthBytes, text } of isWide ? [] : lost) {
            const raw = content.subarray(start, start + lengthBytes);
            if (text === undefined) continue;
            const readings = encodings.map((encoding) => new TextDecoder(encoding).decode(raw));
            assert.ok(readings.includes(text) || lengthBytes > limit, JSON.stringify([text, readings]));
          }
        },
      ),
      {
        numRuns: sized(50, 250),
        // A row over twice the limit whose quote closes within the part held in memory.
        examples: [[Buffer.from('"\r\ntext"","\r{"text":"a"}\n'), 1, 12, false, false]],
      },
    );
  });
}

const bom = '\ufeff';
const rowsOf = (result: Result): unknown[] => result.ledger.map(([, , verdict, , reason]) => [verdict, reason ?? null]);

const cases: readonly [
  title: string,
  path: string,
  content: string | Buffer,
  expected: { bytes: string | Buffer; rows: unknown[]; textField?: string; encoding?: Encoding; maxRowBytes?: number },
][] = [
  ['an empty file', 't.csv', '', { bytes: '', rows: [] }],
  ['a byte order mark and nothing else', 't.csv', bom, { bytes: bom, rows: [] }],
  [
    'a byte order mark and nothing else, UTF-16',
    't.csv',
    Buffer.from(bom, 'utf16le'),
    { bytes: Buffer.from(bom, 'utf16le'), rows: [] },
  ],
  ['an empty table of JSON', 't.jsonl', bom, { bytes: bom, rows: [] }],
  ['a header and nothing else', 't.csv', 'id,text', { bytes: 'id,text', rows: [] }],
  [
    'one column, also with commas',
    't.csv',
    'text\nhello, change\n',
    { bytes: 'text\n"hello, a ""new""\nvalue, é; 高"\n', rows: [['CHANGED', null]] },
  ],
  [
    'of equal names the first',
    't.csv',
    'text,text\nchange,b\n',
    { bytes: 'text,text\n"a ""new""\nvalue, é; 高",b\n', rows: [['CHANGED', null]] },
  ],
  [
    'numbers stay as they are written',
    't.csv',
    'n,text\r\n1.50,a\r\n-0,drop\r\n1e3,b',
    {
      bytes: 'n,text\r\n1.50,a\r\n1e3,b',
      rows: [
        ['KEPT', null],
        ['DROPPED', 'as it was told'],
        ['KEPT', null],
      ],
    },
  ],
  [
    'rows with another number of cells',
    't.csv',
    'id,text\n1,a\n2\n3,b,c\n4,d\n',
    {
      bytes: 'id,text\n1,a\n2\n3,b,c\n4,d\n',
      rows: [
        ['KEPT', null],
        ['FAILED', 'the row has 1 cells, the header 2'],
        ['FAILED', 'the row has 3 cells, the header 2'],
        ['KEPT', null],
      ],
    },
  ],
  [
    'line ends within the quotes of a row with too many cells',
    't.csv',
    'id,text\n1,"first\nsecond",x\n2,"a\n\nb, c" d\n3,"e\nf"\n4,"g\n5\n"\n6,"h, i\nj",k\n',
    {
      bytes: 'id,text\n1,"first\nsecond",x\n2,"a\n\nb, c" d\n3,"e\nf"\n4,"g\n5\n"\n6,"h, i\nj",k\n',
      rows: [
        ['FAILED', 'the row has 3 cells, the header 2'],
        ['FAILED', 'a cell goes on behind its closing quote'],
        ['KEPT', null],
        ['KEPT', null],
        ['FAILED', 'the row has 3 cells, the header 2'],
      ],
    },
  ],
  [
    'a lone quote that a later one closes',
    't.csv',
    'id,text,n\n0,"a",0\n1,"lone,0\n2,b,0\n3,c,0\n4,d,55"\n5,"e",0\n',
    {
      bytes: 'id,text,n\n0,"a",0\n2,b,0\n3,c,0\n4,d,55"\n5,"e",0\n',
      rows: [
        ['KEPT', null],
        ['FAILED', 'a quote that opens a cell is never closed'],
        ['KEPT', null],
        ['KEPT', null],
        ['FAILED', 'a quote within a cell may close one that a line before opens'],
        ['KEPT', null],
      ],
    },
  ],
  [
    'nothing but rows with a cell too many',
    't.csv',
    'id;my text;lang\n1;a,b;en;\n2;"c\nd";en;\n',
    {
      bytes: 'id;my text;lang\n1;a,b;en;\n2;"c\nd";en;\n',
      rows: [
        ['FAILED', 'the row has 4 cells, the header 3'],
        ['FAILED', 'the row has 4 cells, the header 3'],
      ],
    },
  ],
  [
    'one column of sentences',
    't.csv',
    'Yes, we do\nand\na, b, c\n',
    {
      bytes: 'Yes, we do\nand\na, b, c\n',
      rows: [
        ['KEPT', null],
        ['KEPT', null],
      ],
    },
  ],
  [
    'a lone quote costs its own line',
    't.csv',
    'id,text\n1,"a"\n2,"lone\n3,b\n4,"c, d"\n5,"e\nf"\n',
    {
      bytes: 'id,text\n1,"a"\n3,b\n4,"c, d"\n5,"e\nf"\n',
      rows: [
        ['KEPT', null],
        ['FAILED', 'a quote that opens a cell is never closed'],
        ['KEPT', null],
        ['KEPT', null],
        ['KEPT', null],
      ],
    },
  ],
  [
    'a lone quote at the end',
    't.csv',
    'id,text\n1,"a"\n2,"b\n3,c\n',
    {
      bytes: 'id,text\n1,"a"\n3,c\n',
      rows: [
        ['KEPT', null],
        ['FAILED', 'a quote that opens a cell is never closed'],
        ['KEPT', null],
      ],
    },
  ],
  [
    'a cell that goes on behind its quote',
    't.csv',
    'id,text\n1,"a"\n2,"b" c\n3,"d"\n',
    {
      bytes: 'id,text\n1,"a"\n2,"b" c\n3,"d"\n',
      rows: [
        ['KEPT', null],
        ['FAILED', 'a cell goes on behind its closing quote'],
        ['KEPT', null],
      ],
    },
  ],
  [
    'quotes that mean nothing',
    't.tsv',
    'id\ttext\n1\t"a" b\n2\t"c\n3\tchange\n',
    {
      bytes: 'id\ttext\n1\t"a" b\n2\t"c\n3\tchange\n',
      rows: [
        ['KEPT', null],
        ['KEPT', null],
        ['FAILED', 'the file knows no quotes, and the new text holds a delimiter or a line end'],
      ],
    },
  ],
  [
    'NUL bytes are characters',
    't.csv',
    'id,text\n1,a\u0000b\n',
    { bytes: 'id,text\n1,a\u0000b\n', rows: [['KEPT', null]] },
  ],
  [
    'a line in another encoding',
    't.csv',
    Buffer.concat([Buffer.from('id,text\n1,高é高é高é\n2,'), Buffer.from([0xe9, 0x0a]), Buffer.from('3,é\n')]),
    {
      bytes: Buffer.concat([Buffer.from('id,text\n1,高é高é高é\n2,'), Buffer.from([0xe9, 0x0a]), Buffer.from('3,é\n')]),
      rows: [
        ['KEPT', null],
        ['FAILED', 'INVALID_ENCODING: the row is not valid UTF-8'],
        ['KEPT', null],
      ],
    },
  ],
  [
    'GB18030',
    't.csv',
    Buffer.from(
      'aa2c74657874 0a31 2ccafdbeddd7bcb1b8b7fecef10a 322c6368616e6765cafdbeddb0d1cec4bcfe0a'
        .replace(/ /g, '')
        .replace(/^aa/, '6e'),
      'hex',
    ),
    {
      bytes: Buffer.from(
        encodeText('n,text\n1,数据准备服务\n2,"a ""new""\nvalue, é; 高数据把文件"\n', 'gb18030') ?? [],
      ),
      rows: [
        ['KEPT', null],
        ['CHANGED', null],
      ],
    },
  ],
  [
    'JSON lines that are not UTF-8, whatever else they look like',
    't.jsonl',
    Buffer.from('{"text":"déjà vu","n":1.0}\n{"text":"drop"}\n{"text":"a"}\n', 'latin1'),
    {
      bytes: Buffer.from('{"text":"déjà vu","n":1.0}\n{"text":"a"}\n', 'latin1'),
      rows: [
        ['FAILED', 'INVALID_ENCODING: the line is not valid UTF-8'],
        ['DROPPED', 'as it was told'],
        ['KEPT', null],
      ],
    },
  ],
  [
    'JSON lines in an encoding that was named',
    't.jsonl',
    Buffer.from('{"text":"déjà vu","n":1.0}\n{"text":"drop"}\n{"text":"asplité","n":"\xdf"}\n', 'latin1'),
    {
      bytes: Buffer.from('{"text":"déjà vu","n":1.0}\n{"text":"a","n":"\xdf"}\n{"text":"é","n":"\xdf"}\n', 'latin1'),
      rows: [
        ['KEPT', null],
        ['DROPPED', 'as it was told'],
        ['CHANGED', null],
      ],
      encoding: 'windows-1252',
    },
  ],
  [
    'numbers that are none in JSON',
    't.jsonl',
    '{"text":"change NaN","n":NaN}\n{"n": [-Infinity, Infinity],"text":"a"}\n{"text":NaN}\n{"text":"a","n":1Infinity}\n{"n":[NaN ],"text":"split"}\n',
    {
      bytes:
        '{"text":"a \\"new\\"\\nvalue, é; 高 NaN","n":NaN}\n{"n": [-Infinity, Infinity],"text":"a"}\n{"text":NaN}\n{"text":"a","n":1Infinity}\n{"n":[NaN ],"text":""}\n{"n":[NaN ],"text":""}\n',
      rows: [
        ['CHANGED', null],
        ['KEPT', null],
        ['FAILED', '"text" is not a string'],
        [
          'FAILED',
          "the line is not JSON: Expected ',' or '}' after property value in JSON at position 17 (line 1 column 18)",
        ],
        ['CHANGED', null],
      ],
    },
  ],
  [
    'characters that its encoding lacks in a new text',
    't.csv',
    Buffer.from('n,text\n1,déjà vu très français\n2,changed déjà vu\n3,à splitÿ\n', 'latin1'),
    {
      bytes: Buffer.from('n,text\n1,déjà vu très français\n2,changed déjà vu\n3,à \n3,ÿ\n', 'latin1'),
      rows: [
        ['KEPT', null],
        ['FAILED', 'the file is in WINDOWS-1252, which has no 高 (U+9AD8) of the new text; convert it to UTF-8'],
        ['CHANGED', null],
      ],
    },
  ],
  [
    'rows of another encoding than its first ones',
    't.csv',
    Buffer.concat([
      Buffer.from('n,text\n1,drop déjà vu très français, déjà\n2,à split là\n'.replace(', déjà', ''), 'latin1'),
      Buffer.from('3,数据清洗\n4,a\n'),
    ]),
    {
      bytes: Buffer.concat([Buffer.from('n,text\n2,à \n2, là\n', 'latin1'), Buffer.from('3,数据清洗\n4,a\n')]),
      rows: [
        ['DROPPED', 'as it was told'],
        ['CHANGED', null],
        ['FAILED', 'INVALID_ENCODING: the file was taken for WINDOWS-1252, and this row is UTF-8; set input.encoding'],
        ['KEPT', null],
      ],
    },
  ],
  [
    'UTF-16 that is cut off',
    't.jsonl',
    Buffer.from(`${bom}{"text":"a"}\n{"text":"b"}\n`, 'utf16le').subarray(0, -1),
    {
      bytes: Buffer.from(`${bom}{"text":"a"}\n`, 'utf16le'),
      rows: [
        ['KEPT', null],
        ['FAILED', 'INVALID_ENCODING: the line is not valid UTF-16LE'],
      ],
    },
  ],
  [
    'a line end of CR alone',
    't.csv',
    'id,text\r1,a\r2,split\r',
    {
      bytes: 'id,text\r1,a\r2,\r2,\r',
      rows: [
        ['KEPT', null],
        ['CHANGED', null],
      ],
    },
  ],
  [
    'the line that names the delimiter',
    't.csv',
    'sep=;\r\nid;text\r\n1;a,b\r\n',
    { bytes: 'sep=;\r\nid;text\r\n1;a,b\r\n', rows: [['KEPT', null]] },
  ],
  [
    'a column that is not there',
    't.csv',
    'id,text\n1,a\n',
    { bytes: 'id,text\n1,a\n', rows: [['FAILED', '"body" is no column of the header']], textField: 'body' },
  ],
  [
    'an image by the name of a table',
    't.csv',
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 1, 2, 3, 0, 0, 0, 0]),
    {
      bytes: Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 1, 2, 3, 0, 0, 0, 0]),
      rows: [['FAILED', 'UNSUPPORTED_FORMAT: t.csv: it holds bytes that are no text']],
    },
  ],
  [
    'a row over the limit',
    't.csv',
    `id,text\n1,"a"\n2,"${'x\n'.repeat(40)}"\n3,b\n`,
    {
      bytes: `id,text\n1,"a"\n${'x\n'.repeat(39)}3,b\n`,
      rows: [
        ['KEPT', null],
        ['FAILED', 'a quote that opens a cell is never closed'],
        ...Array.from({ length: 39 }, () => ['FAILED', 'the row has 1 cells, the header 2']),
        ['FAILED', 'a quote that opens a cell is never closed'],
        ['KEPT', null],
      ],
      maxRowBytes: 60,
    },
  ],
];
for (const [title, path, content, { bytes, rows, ...options }] of cases) {
  test(`a table with ${title}`, async () => {
    for (const cut of [{}, { shardBytes: 5 }]) {
      const result = await run(path, Buffer.from(content), { ...options, ...cut });
      assert.equal(result.bytes.toString('latin1'), Buffer.from(bytes).toString('latin1'));
      assert.deepEqual(rowsOf(result), rows);
    }
  });
}

test('a row of 100 MB fails alone, one of many lines line by line', async () => {
  const rest = '2,"b"\n3,drop\n';
  for (const cell of ['x'.repeat(100_000_000), `"${`${'x'.repeat(99)}\n`.repeat(100_000)}`.trimEnd()]) {
    const content = Buffer.concat([Buffer.from('id,text\n0,"a"\n1,'), Buffer.from(cell), Buffer.from(`\n${rest}`)]);
    const isLine = !cell.startsWith('"');
    const result = await run('t.csv', content, { shardBytes: 4 << 20, maxRowBytes: 1 << 20 });
    // The first of the many lines has a quote that is never closed.
    const kept = isLine ? `1,${cell}\n` : `${cell.slice(cell.indexOf('\n') + 1)}\n`;
    const expected = Buffer.from(`id,text\n0,"a"\n${kept}2,"b"\n`);
    assert.equal(Buffer.compare(result.bytes, expected), 0);
    assert.equal(result.counts.in, isLine ? 4 : 100_003);
    if (isLine) assert.equal(result.ledger[1]?.[6]?.lengthBytes, 100_000_002);
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sized } from '../../../../tests/support/long-tests.ts';
import { fateOf, run, type TableResult } from '../../../../tests/support/table-work.ts';
import type { Counts } from '../../../runs/index.ts';
import { encodeText } from '../../../tables/encoder.ts';
import { encodings, type Encoding } from '../../../encodings/encodings.ts';

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
function linesOf({ ledger }: TableResult, limit: number): unknown[] {
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

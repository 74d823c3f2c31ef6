import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createMultipartParser, type MultipartLimits } from './multipart-parser.ts';
import type { AppError } from '../kernel/errors.ts';

type Part = { name: string; fileName?: string; value: string };

const limits: MultipartLimits = { parts: 20, headerBytes: 1000, fieldBytes: 10_000 };

/** Pushes the pieces in and returns the parsed parts, files as latin-1. */
async function parse(pieces: readonly Buffer[], boundary: string, options: { slow?: boolean } = {}): Promise<Part[]> {
  const parts: Part[] = [];
  const parser = createMultipartParser(
    boundary,
    {
      field: (name, value) => void parts.push({ name, value }),
      file({ name, fileName }) {
        const part = { name, fileName: fileName ?? '', value: '' };
        const sink = {
          write(bytes: Buffer) {
            if (!options.slow) {
              part.value += bytes.toString('latin1');
              return undefined;
            }
            return Promise.resolve().then(() => void (part.value += bytes.toString('latin1')));
          },
          end() {
            parts.push(part);
            return options.slow ? Promise.resolve() : undefined;
          },
        };
        return options.slow ? Promise.resolve(sink) : sink;
      },
    },
    limits,
  );
  for (const piece of pieces) await parser.push(piece);
  parser.end();
  return parts;
}

function body(parts: readonly Part[], boundary: string): Buffer {
  const pieces = parts.flatMap((part) => {
    const file = part.fileName === undefined ? '' : `; filename="${part.fileName}"`;
    return [
      Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${part.name}"${file}\r\n\r\n`),
      Buffer.from(part.value, 'latin1'),
      Buffer.from('\r\n'),
    ];
  });
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
}

function split(whole: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.map((cut) => cut % (whole.length + 1)).sort((a, b) => a - b), whole.length];
  return places.slice(1).map((place, index) => whole.subarray(places[index], place));
}

// Content made of boundary characters is the hardest case for a parser.
const boundary = '-a-';
const tricky = fc
  .array(fc.constantFrom('\r', '\n', '\r\n', '-', '--', 'a', '\r\n--', '\r\n---a', '\r\n--a-', '\u00ff', '\0'), {
    maxLength: 30,
  })
  .map((pieces) => pieces.join(''))
  .filter((text) => !text.includes(`\r\n--${boundary}`) && !`\r\n${text}`.startsWith(`\r\n--${boundary}`));

test('a body split anywhere gives the same parts, whether the sinks are quick or slow', async () => {
  const plain = { noNullPrototype: true };
  const part = fc.record({ name: fc.constantFrom('a', 'reqId'), fileName: fc.constant('x'), value: tricky }, plain);
  const values = fc.constantFrom('', '1', '--', '\r\n', '\r\n--');
  const field = fc.record({ name: fc.constantFrom('b', 'é'), value: values }, plain);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(part, field), { minLength: 1, maxLength: 5 }),
      fc.array(fc.nat(), { maxLength: 12 }),
      fc.boolean(),
      async (parts: Part[], cuts, slow) => {
        const whole = body(parts, boundary);
        assert.deepEqual(await parse(split(whole, cuts), boundary, { slow }), parts);
      },
    ),
    { numRuns: 2000 },
  );
});

test('a body that comes byte by byte gives the same parts', async () => {
  const parts = [
    { name: 'reqId', value: 'x' },
    { name: 'file', fileName: '高.txt', value: '\r\n---a\r\n--' },
    { name: 'empty', fileName: 'empty', value: '' },
  ];
  const whole = body(parts, boundary);
  assert.deepEqual(
    await parse(
      [...whole].map((byte) => Buffer.from([byte])),
      boundary,
    ),
    parts,
  );
});

test('whatever is cut off the end is refused', async () => {
  const whole = body([{ name: 'file', fileName: 'a', value: 'content' }], 'b');
  // The line break before the closing boundary is not content.
  for (let length = 0; length < whole.length - 2; length++) {
    await assert.rejects(parse([whole.subarray(0, length)], 'b'), { code: 'INVALID_PARAMETER' }, `at ${length}`);
  }
});

test('preamble, epilogue and white space behind a boundary mean nothing', async () => {
  const text = 'before\r\n--b \t\r\nContent-Disposition: form-data; name=x\r\n\r\n1\r\n--b--\r\nafter\r\n--b';
  assert.deepEqual(await parse([Buffer.from(text)], 'b'), [{ name: 'x', value: '1' }]);
});

test('pieces given to a sink are slices of what was pushed', async () => {
  const whole = body([{ name: 'file', fileName: 'a', value: 'x'.repeat(5000) }], 'b');
  let sameMemory = true;
  const parser = createMultipartParser(
    'b',
    {
      field() {},
      file: () => ({
        write(bytes) {
          sameMemory &&= bytes.buffer === whole.buffer;
          return undefined;
        },
        end: () => undefined,
      }),
    },
    limits,
  );
  await parser.push(whole.subarray(0, 100));
  await parser.push(whole.subarray(100));
  parser.end();
  assert.ok(sameMemory);
});

test('the sink hears how large the part is if it is the last', async () => {
  const whole = body([{ name: 'file', fileName: 'a', value: 'x'.repeat(5000) }], 'b');
  let expected: number | undefined;
  const file = (_: unknown, bytes: number | undefined) => {
    expected = bytes;
    return { write: () => undefined, end: () => undefined };
  };
  await createMultipartParser('b', { field() {}, file }, limits, whole.length).push(whole);
  assert.equal(expected, 5000);
});

const disposition = 'Content-Disposition: form-data';
const refused: [string, string][] = [
  ['no boundary at all', 'hello'],
  ['something else behind a boundary', '--bx\r\n'],
  ['a part without a disposition', '--b\r\nContent-Type: a/b\r\n\r\n1\r\n--b--'],
  ['a part without a name', `--b\r\n${disposition}\r\n\r\n1\r\n--b--`],
  ['an attachment', '--b\r\nContent-Disposition: attachment; name=x\r\n\r\n1\r\n--b--'],
  ['a header without a colon', '--b\r\nnonsense\r\n\r\n1\r\n--b--'],
  ['an unterminated quote', `--b\r\n${disposition}; name="x\r\n\r\n1\r\n--b--`],
  ['base64', `--b\r\n${disposition}; name=x\r\nContent-Transfer-Encoding: base64\r\n\r\n1\r\n--b--`],
  ['headers without an end', `--b\r\n${'x'.repeat(2000)}`],
  ['too much text', `--b\r\n${disposition}; name=x\r\n\r\n${'x'.repeat(10_001)}\r\n--b--`],
  ['a long preamble', `${'x'.repeat(70_000)}\r\n--b--`],
  ['a long epilogue', `--b--${'x'.repeat(70_000)}`],
  ['too many parts', `${`--b\r\n${disposition}; name=x\r\n\r\n\r\n`.repeat(21)}--b--`],
  ['a filename* that is not UTF-8', `--b\r\n${disposition}; name=x; filename*=UTF-8''%ff\r\n\r\n1\r\n--b--`],
  ['a filename* in another charset', `--b\r\n${disposition}; name=x; filename*=ISO-8859-1''a\r\n\r\n1\r\n--b--`],
];
for (const [what, text] of refused) {
  test(`refuses ${what}`, async () => {
    await assert.rejects(parse([Buffer.from(text)], 'b'), { code: 'INVALID_PARAMETER' });
  });
}

test('refuses bytes that are no UTF-8 in names and values', async () => {
  const invalid = Buffer.from([0xc3, 0x28]);
  const name = [Buffer.from(`--b\r\n${disposition}; name=x; filename="`), invalid, Buffer.from('"\r\n\r\n1\r\n--b--')];
  const value = [Buffer.from(`--b\r\n${disposition}; name=reqId\r\n\r\n`), invalid, Buffer.from('\r\n--b--')];
  await assert.rejects(parse(name, 'b'), { code: 'INVALID_PARAMETER' });
  await assert.rejects(parse(value, 'b'), (error: AppError) => error.field === 'reqId');
});

const names: [string, string][] = [
  ['filename="plain.txt"', 'plain.txt'],
  ['filename=token.txt', 'token.txt'],
  ['filename=""', ''],
  ['filename="高い山 🏔.txt"', '高い山 🏔.txt'],
  ['filename="a%22b%0d%0A100%25.txt"', 'a"b\r\n100%25.txt'],
  ['filename="a\\"b\\\\c.txt"', 'a"b\\c.txt'],
  ['filename="C:\\dir\\a.txt"', 'C:\\dir\\a.txt'],
  ['filename="a;b=c.txt"', 'a;b=c.txt'],
  ['filename="x"; filename*=UTF-8\'\'na%C3%AFve%20%22.txt', 'naïve ".txt'],
  ["filename*=utf-8'en'a.txt", 'a.txt'],
];
for (const [parameter, expected] of names) {
  test(`reads ${parameter}`, async () => {
    const text = `--b\r\ncontent-DISPOSITION:form-data;name="file" ; ${parameter}\r\n\r\n1\r\n--b--`;
    assert.deepEqual(await parse([Buffer.from(text)], 'b'), [{ name: 'file', fileName: expected, value: '1' }]);
  });
}

test('content full of beginnings of the boundary comes through whole', async () => {
  const content = '\r\n--boundar\r\n--\r\n--x\r\n'.repeat(50);
  const whole = Buffer.from(
    `--boundary\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n${content}\r\n--boundary--\r\n`,
  );
  for (const size of [1, 7, 100, whole.length]) {
    const pieces: Buffer[] = [];
    const sink = { write: (bytes: Buffer) => void pieces.push(Buffer.from(bytes)), end: () => undefined };
    const parser = createMultipartParser(
      'boundary',
      { field: () => {}, file: () => sink },
      { parts: 10, headerBytes: 1_000, fieldBytes: 1_000 },
    );
    for (let at = 0; at < whole.length; at += size) await parser.push(whole.subarray(at, at + size));
    parser.end();
    assert.equal(Buffer.concat(pieces).toString(), content, `in pieces of ${size}`);
  }
});

test('a piece is spent when a sink that copies has taken all of it', async () => {
  const sink = { copies: true, write: () => undefined, end: () => undefined };
  const parser = createMultipartParser(
    'boundary',
    { field: () => {}, file: () => sink },
    { parts: 10, headerBytes: 1_000, fieldBytes: 1_000 },
  );
  const spent: boolean[] = [];
  for (const piece of [
    '--boundary\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nbegin',
    'middle',
    'held back\r\n--bound',
    'ary--\r\n',
  ]) {
    await parser.push(Buffer.from(piece));
    spent.push(parser.isSpent);
  }
  assert.deepEqual(spent, [false, true, false, false]);
});

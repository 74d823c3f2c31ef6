import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMultipartParser } from './multipart-parser.ts';
import { splitWholeForm } from './whole-form.ts';

const boundary = 'b-1';

type Parts = { fields: { name: string; value: string }[]; files: { name: string; bytes: string }[] };

function part(name: string, content: string | Buffer, more = ''): Buffer {
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), Buffer.from(content), Buffer.from('\r\n')]);
}

const file = (content: string | Buffer, name = 'file'): Buffer =>
  part(name, content, '; filename="blob"\r\nContent-Type: application/octet-stream');

const form = (...parts: (Buffer | string)[]): Buffer =>
  Buffer.concat([...parts.map((piece) => Buffer.from(piece)), Buffer.from(`--${boundary}--\r\n`)]);

/** The result of the general parser for a body; undefined when it refuses it. */
function parse(body: Buffer): Parts | undefined {
  const parts: Parts = { fields: [], files: [] };
  const handler = {
    field: (name: string, value: string) => void parts.fields.push({ name, value }),
    file({ name }: { name: string }) {
      const pieces: Buffer[] = [];
      const end = () => void parts.files.push({ name, bytes: Buffer.concat(pieces).toString('latin1') });
      return { write: (bytes: Buffer) => void pieces.push(bytes), end };
    },
  };
  try {
    const limits = { parts: 1_000, headerBytes: 16_384, fieldBytes: 1_048_576 };
    const parser = createMultipartParser(boundary, handler, limits);
    void parser.push(body);
    parser.end();
    return parts;
  } catch {
    return undefined;
  }
}

function split(body: Buffer): Parts | undefined {
  const whole = splitWholeForm(body, boundary);
  if (whole === undefined) return undefined;
  const { name, bytes } = whole.file;
  return { fields: [...whole.fields], files: [{ name, bytes: bytes.toString('latin1') }] };
}

const usual: Record<string, Buffer> = {
  'fields and a file': form(part('reqId', 'r'), part('fileNo', '7'), file('rain and soil')),
  'a name in another script': form(part('fileName', '高粱/大麦.txt'), file('grain')),
  'an empty field and an empty file': form(part('fileName', ''), file('')),
  'only a file': form(file('\r\n\r\n- \r\n')),
  'line breaks in a field': form(part('fileName', 'a\r\nb\r\n\r\nc'), file('x')),
  'no line break at the end': form(part('a', 'b'), file('x')).subarray(0, -2),
  'any bytes': form(part('a', 'b'), file(Buffer.from(Array.from({ length: 3_000 }, (_, index) => index % 256)))),
};

for (const [name, body] of Object.entries(usual))
  test(`${name} are split as the parser would`, () => {
    assert.ok(split(body));
    assert.deepEqual(split(body), parse(body));
  });

const unusual: Record<string, Buffer> = {
  'a field behind the file': form(file('x'), part('a', 'b')),
  'two files': form(file('x'), file('y')),
  'no file': form(part('a', 'b')),
  'something before the first boundary': Buffer.concat([Buffer.from('x\r\n'), form(file('x'))]),
  'something behind the last boundary': Buffer.concat([form(file('x')), Buffer.from('more')]),
  'the beginning of a boundary in the file': form(file('a\r\n--b-2\r\nc')),
  'the boundary at the end of a longer line': form(part('a', `b\r\n--${boundary}x`), file('x')),
  'a value that is not UTF-8': form(part('a', Buffer.from([0xff])), file('x')),
  'a name in quotes with escapes': form(part('a', 'b', '; filename="a\\"b"')),
  'an encoded file name': form(part('file', 'b', "; filename*=UTF-8''a")),
  'another encoding': form(part('file', 'b', '; filename="a"\r\nContent-Transfer-Encoding: base64')),
  'space behind a boundary': Buffer.from(form(file('x')).toString().replace(boundary, `${boundary} `)),
  'fields too long for a quick look': form(part('a', 'b'.repeat(4_000)), file('x')),
};

for (const [name, body] of Object.entries(unusual))
  test(`${name}: left to the parser`, () => assert.equal(split(body), undefined));

test('a form that was cut, or of which a byte was changed, never becomes anything that the parser would not make of it', () => {
  const body = form(part('reqId', 'r'), part('fileName', 'a/ä.txt'), file('rain\r\n-and soil'));
  for (let at = 0; at < body.length; at++) {
    const cut = body.subarray(0, at);
    const wrong = Buffer.from(body);
    wrong[at] = (wrong[at] ?? 0) ^ 0x21;
    for (const changed of [cut, wrong]) {
      const taken = split(changed);
      if (taken !== undefined) assert.deepEqual(taken, parse(changed), changed.toString('latin1'));
    }
  }
});

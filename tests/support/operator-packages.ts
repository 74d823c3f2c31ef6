import { gzipSync } from 'node:zlib';

/** Files of a package by path. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

/** A manifest of a mapper that appends a suffix to each text. */
export function manifestOf(changes: object = {}): Record<string, unknown> {
  return {
    id: 'end-writer',
    version: '1.0.0',
    title: 'Write an end',
    summary: 'Adds an end to each text.',
    author: 'Erin',
    licence: 'MIT',
    modality: 'TEXT',
    kind: 'MAPPER',
    categories: ['examples'],
    params: { type: 'object', properties: { end: { type: 'string', maxLength: 10, default: '!' } } },
    entry: 'operator.js',
    examples: [{ title: 'Default', params: {}, input: 'a', output: 'a!' }],
    ...changes,
  };
}

export const endWriter = 'export default { each: ({ end }) => (sample) => ({ text: sample.text + end }) };\n';

export function packageOf(changes: object = {}, source = endWriter, more: Files = {}): Files {
  return {
    'operator.json': JSON.stringify(manifestOf(changes)),
    'operator.js': source,
    'README.md': '# Write an end\n',
    ...more,
  };
}

/** A ustar archive; a value `{ link }` is a symbolic link. */
export function tgz(files: Readonly<Record<string, string | Uint8Array | { link: string }>>): Buffer {
  const blocks: Buffer[] = [];
  for (const [path, content] of Object.entries(files)) {
    const link = typeof content === 'object' && 'link' in content ? content.link : undefined;
    const bytes = link === undefined ? Buffer.from(content as string) : Buffer.alloc(0);
    const header = Buffer.alloc(512);
    header.write(path, 0);
    header.write('0000644\0', 100);
    header.write('0000000\0', 108);
    header.write('0000000\0', 116);
    header.write(`${bytes.length.toString(8).padStart(11, '0')}\0`, 124);
    header.write('00000000000\0', 136);
    header.write('        ', 148);
    header.write(link === undefined ? '0' : '2', 156);
    header.write(link ?? '', 157);
    header.write('ustar\u000000', 257);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    blocks.push(header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512));
  }
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

export function formOf(bytes: Uint8Array, name = 'package.tgz'): FormData {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(bytes)]), name);
  return form;
}

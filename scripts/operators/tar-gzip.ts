import { gzipSync } from 'node:zlib';

const blockBytes = 512;

/** A gzipped tar (ustar) of files; the same files always give the same bytes. */
export function tarGzip(files: ReadonlyMap<string, Uint8Array>): Buffer {
  const blocks = [...files].flatMap(([path, bytes]) => [
    headerOf(path, bytes.length),
    Buffer.from(bytes),
    Buffer.alloc((blockBytes - (bytes.length % blockBytes)) % blockBytes),
  ]);
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * blockBytes)]));
}

/** POSIX pax, "ustar Interchange Format". */
function headerOf(path: string, sizeBytes: number): Buffer {
  const header = Buffer.alloc(blockBytes);
  const octal = (value: number, length: number, at: number): void => {
    header.write(`${value.toString(8).padStart(length, '0')}\0`, at);
  };
  header.write(path, 0, 100);
  octal(0o644, 7, 100);
  octal(0, 7, 108);
  octal(0, 7, 116);
  octal(sizeBytes, 11, 124);
  octal(0, 11, 136);
  header.write('        0', 148);
  header.write('ustar\u000000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

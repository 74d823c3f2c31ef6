export function encodeCrc32(crc32: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32);
  return bytes.toString('base64');
}

export function decodeCrc32(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === 4 ? bytes.readUInt32BE() : undefined;
}

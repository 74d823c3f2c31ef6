/** What the server uses of seek-bzip, which declares no types. */
declare module 'seek-bzip' {
  type Input = { readByte(): number; read(target: Uint8Array, offset: number, length: number): number };
  type Output = { writeByte(byte: number): void };
  const Bunzip: {
    /** Decodes one stream; throws when a checksum is wrong, or what the input throws. */
    decode(input: Input, output: Output): void;
  };
  export default Bunzip;
}

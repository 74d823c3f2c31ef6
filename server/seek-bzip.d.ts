/** The part of seek-bzip that the server uses; the package has no types. */
declare module 'seek-bzip' {
  type Input = { readByte(): number; read(target: Uint8Array, offset: number, length: number): number };
  type Output = { writeByte(byte: number): void };
  const Bunzip: {
    /** Decodes one stream; throws on a wrong checksum, and rethrows errors of the input. */
    decode(input: Input, output: Output): void;
  };
  export default Bunzip;
}

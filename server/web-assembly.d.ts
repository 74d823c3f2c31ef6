/** What the server uses of WebAssembly; TypeScript declares it for browsers only, together with everything else of theirs. */
declare namespace WebAssembly {
  /** Memory in pages of 64 KiB, zeroed, aligned to the pages of the system and not backed by any until it is touched. */
  class Memory {
    constructor(descriptor: { initial: number; maximum?: number; shared?: false });
    constructor(descriptor: { initial: number; maximum: number; shared: true });
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  /** Compiled at once; throws for bytes that are no module. */
  const Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  class Instance {
    constructor(module: object, imports: object);
    readonly exports: Exports;
  }
  type Exports = Readonly<Record<string, unknown>>;
}

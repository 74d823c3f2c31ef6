/** The part of WebAssembly that the server uses; TypeScript only declares it together with all browser APIs. */
declare namespace WebAssembly {
  /** Memory in pages of 64 KiB, zeroed and aligned to system pages, which are not allocated until touched. */
  class Memory {
    constructor(descriptor: { initial: number; maximum?: number; shared?: false });
    constructor(descriptor: { initial: number; maximum: number; shared: true });
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  /** Compiles synchronously; throws for bytes that are not a module. */
  const Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  class Instance {
    constructor(module: object, imports: object);
    readonly exports: Exports;
  }
  type Exports = Readonly<Record<string, unknown>>;
}

/** What published code may use. */
export type SandboxLimits = {
  /** CPU time for a batch of samples, and for one sample alone. */
  readonly cpuMs: number;
  /** Memory of the code: its heap, or its WebAssembly memory. */
  readonly memoryMb: number;
  /** JSON that it may answer a batch with. */
  readonly resultBytes: number;
};

export const sandboxLimits: SandboxLimits = { cpuMs: 10_000, memoryMb: 128, resultBytes: 64 << 20 };

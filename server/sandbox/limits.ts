/** Limits of published code. */
export type SandboxLimits = {
  /** CPU time for a batch of samples, and for a sample run alone. */
  readonly cpuMs: number;
  /** Memory of the code: its heap, or its WebAssembly memory. */
  readonly memoryMb: number;
  /** Maximum size of the answer to a batch. */
  readonly resultBytes: number;
  /** After this time without work the lane closes the code and ends its process. */
  readonly idleMs: number;
};

/** Limits of an examination: its texts are few and short, and all answers are held together. */
export function examinationLimits(limits: SandboxLimits): SandboxLimits {
  return { ...limits, resultBytes: Math.min(limits.resultBytes, 16 << 20) };
}

export const sandboxLimits: SandboxLimits = { cpuMs: 10_000, memoryMb: 128, resultBytes: 64 << 20, idleMs: 30_000 };

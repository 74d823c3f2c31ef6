/** Code of a published operator: an ES module without imports, or WebAssembly. */
export type OperatorCode = { readonly kind: 'js' | 'wasm'; readonly bytes: Uint8Array };

/** QuickJS in WebAssembly works everywhere; V8 isolates in a locked-in process are many times as fast. */
export type LaneName = 'SAFE' | 'FAST';

/**
 * What holds code: QuickJS in a thread of this process, or a process of its own. WebAssembly always has a process: V8 ends the one
 * in which a module needs more than there is.
 */
export type EngineName = 'QUICKJS' | 'WASM_PROCESS' | 'LOCKED_PROCESS';

/** The engine for a kind of code in a lane. */
export function engineOf(lane: LaneName, kind: OperatorCode['kind']): EngineName {
  if (lane === 'FAST') return 'LOCKED_PROCESS';
  return kind === 'wasm' ? 'WASM_PROCESS' : 'QUICKJS';
}

/**
 * What a lane is asked: to prepare an operator under a key, to pass a batch of samples (`batches.ts`) through it, or to let go of
 * it. Requests are answered in their order; letting go is not answered.
 */
export type LaneRequest =
  | { readonly op: 'open'; readonly key: string; readonly code: OperatorCode; readonly params: string }
  | { readonly op: 'run'; readonly key: string; readonly batch: Uint8Array | BatchPlace }
  | { readonly op: 'close'; readonly key: string };

/** Bytes that are not passed on, but lie in the files of `exchange.ts`. */
export type BatchPlace = { readonly place: number; readonly length: number };

/** A limit that code has broken; its sandbox is not used again. */
export type Breach = { readonly limit: 'time' | 'memory' | 'stack' | 'result' | 'end'; readonly cause: string };

export type LaneAnswer =
  | { readonly kind: 'opened' }
  /** The code can not be used: its text, its exports, its parameters. */
  | { readonly kind: 'refused'; readonly cause: string }
  /** The lane does not hold it: it was idle and let go of all. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'done'; readonly answers: Uint8Array | BatchPlace; readonly peakBytes: number }
  | { readonly kind: 'breach'; readonly breach: Breach };

/** What a thread of a lane starts with: `signal` is set and notified after each answer; `tid` is its thread on Linux. */
export type LaneSetup = {
  readonly signal: SharedArrayBuffer;
  readonly cpuMs: number;
  readonly memoryMb: number;
  readonly resultBytes: number;
  /** After this time without a request the lane lets go of what it holds. */
  readonly idleMs: number;
  readonly engine: EngineName;
  /** Descriptors of the files of `exchange.ts`. */
  readonly exchange: { readonly requests: number; readonly answers: number } | undefined;
};

/** Slots of the signal: the number of answers so far, the id of the thread (0: unknown), and whether it can work on requests. */
export const signalSlots = { answers: 0, tid: 1, started: 2, length: 3 } as const;

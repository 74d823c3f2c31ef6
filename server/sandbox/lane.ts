/** Code of a published operator: an ES module without imports, or WebAssembly. */
export type OperatorCode = { readonly kind: 'js' | 'wasm'; readonly bytes: Uint8Array };

/** QuickJS in WebAssembly works everywhere; V8 isolates in a locked-down process are many times as fast. */
export type LaneName = 'SAFE' | 'FAST';

/**
 * Where code runs: QuickJS in a thread of this process, or a separate process. WebAssembly always has a separate
 * process: V8 aborts the process if a module needs more memory than there is.
 */
export type EngineName = 'QUICKJS' | 'WASM_PROCESS' | 'LOCKED_PROCESS';

/** The engine for a kind of code in a lane. */
export function engineOf(lane: LaneName, kind: OperatorCode['kind']): EngineName {
  if (lane === 'FAST') return 'LOCKED_PROCESS';
  return kind === 'wasm' ? 'WASM_PROCESS' : 'QUICKJS';
}

/**
 * A request to a lane: opens an operator under a key, runs a batch of samples (`batches.ts`) through it, or closes it.
 * Requests are answered in order; closing is not answered.
 */
export type LaneRequest =
  | { readonly op: 'open'; readonly key: string; readonly code: OperatorCode; readonly params: string }
  | { readonly op: 'run'; readonly key: string; readonly batch: Uint8Array | BatchPlace }
  | { readonly op: 'close'; readonly key: string };

/** The place of bytes that are in the files of `exchange.ts` instead of the message. */
export type BatchPlace = { readonly place: number; readonly length: number };

/** A limit that code exceeded; its sandbox is not used again. */
export type Breach = { readonly limit: 'time' | 'memory' | 'stack' | 'result' | 'end'; readonly cause: string };

export type LaneAnswer =
  | { readonly kind: 'opened' }
  /** The code can not be used: because of its text, exports or parameters. */
  | { readonly kind: 'refused'; readonly cause: string }
  /** The code is not open: the lane was idle and closed everything. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'done'; readonly answers: Uint8Array | BatchPlace; readonly peakBytes: number }
  | { readonly kind: 'breach'; readonly breach: Breach };

/** Start data of a lane's thread: `signal` is set and notified after each answer; `tid` is its thread id on Linux. */
export type LaneSetup = {
  readonly signal: SharedArrayBuffer;
  readonly cpuMs: number;
  readonly memoryMb: number;
  readonly resultBytes: number;
  /** After this time without a request the lane closes everything. */
  readonly idleMs: number;
  readonly engine: EngineName;
  /** Descriptors of the files of `exchange.ts`. */
  readonly exchange: { readonly requests: number; readonly answers: number } | undefined;
};

/** Slots of the signal: number of answers so far, thread id (0: unknown), and whether it can process requests. */
export const signalSlots = { answers: 0, tid: 1, started: 2, length: 3 } as const;

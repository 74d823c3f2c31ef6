import {
  compileModule,
  constant,
  get,
  instantiate,
  loop,
  repeatWhileBelow,
  set,
  step,
  type,
  vector,
  vectorLoad,
  vectorStore,
  type CompiledModule,
} from '../../kernel/web-assembly-code.ts';

/** Maximum number of permutations of a kernel; they are processed in groups of 16. */
export const maxPermutations = 256;

/** Maximum number of shingles per call. */
const maxShingles = 8192;

/**
 * MinHash of a set of 32-bit shingles: the smallest value of each permutation `x → a·x + b mod 2³²` (Broder, "On the
 * resemblance and containment of documents", 1997; linear permutations of hashed shingles as in Broder et al.,
 * "Min-wise independent permutations", 2000).
 */
export type MinhashKernel = {
  /** Starts a new set. */
  start(): void;
  /** Buffer for shingles; `take(n)` adds its first n shingles to the set. */
  readonly shingles: Uint32Array;
  take(count: number): void;
  /** The smallest values so far: a view that is valid until `start`. */
  readonly minima: Uint32Array;
};

// Offsets in the kernel's memory, in bytes.
const place = { multipliers: 0, addends: 1024, minima: 2048, shingles: 4096 } as const;

type Exports = { memory: { buffer: ArrayBuffer }; take: (shinglesEnd: number, permutationsEnd: number) => void };

let compiled: CompiledModule | undefined;

/** `permutations` must be a multiple of 16. The permutations are the same in every process and run. */
export function createMinhashKernel(permutations: number): MinhashKernel {
  compiled ??= compileKernel();
  const { memory, take } = instantiate(compiled) as Exports;
  const view = (start: number, length: number): Uint32Array => new Uint32Array(memory.buffer, start, length);
  const random = createRandom(0x5eed);
  const multipliers = view(place.multipliers, permutations);
  const addends = view(place.addends, permutations);
  for (let index = 0; index < permutations; index += 1) {
    multipliers[index] = random() | 1;
    addends[index] = random();
  }
  const minima = view(place.minima, permutations);
  return {
    start() {
      minima.fill(0xffff_ffff);
    },
    shingles: view(place.shingles, maxShingles),
    take(count) {
      if (count > 0) take(place.shingles + count * 4, permutations * 4);
    },
    minima,
  };
}

/** Murmur3's finalizer over a counter: evenly distributed, reproducible 32-bit numbers. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x9e37_79b9) >>> 0;
    return mix(state);
  };
}

/** Finalizer of MurmurHash3 (Appleby): every bit of the result depends on every bit of the input. */
export function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

const lanes = 4;

/**
 * The loop in WebAssembly with 128-bit vectors, 16 permutations at a time in registers: several times as fast as in
 * JavaScript. `take(shinglesEnd, permutationsEnd)`: minimum over the shingles for each group of permutations.
 */
function compileKernel(): CompiledModule {
  const [shinglesEnd, permutationsEnd, permutation, shingle] = [0, 1, 2, 3];
  const multiplier = (lane: number): number => 4 + lane;
  const addend = (lane: number): number => 8 + lane;
  const minimum = (lane: number): number => 12 + lane;
  const value = 16;
  const eachLane = (code: (lane: number) => number[]): number[] =>
    Array.from({ length: lanes }, (_, l) => l).flatMap(code);
  const load = (start: number, lane: number): number[] => [...get(permutation), ...vectorLoad(start + 16 * lane)];

  const body = [
    ...loop([
      ...eachLane((lane) => [...load(place.multipliers, lane), ...set(multiplier(lane))]),
      ...eachLane((lane) => [...load(place.addends, lane), ...set(addend(lane))]),
      ...eachLane((lane) => [...load(place.minima, lane), ...set(minimum(lane))]),
      ...constant(place.shingles),
      ...set(shingle),
      ...loop([
        ...get(shingle),
        ...splatLoad,
        ...set(value),
        ...eachLane((lane) => [
          ...get(minimum(lane)),
          ...get(multiplier(lane)),
          ...get(value),
          ...multiply,
          ...get(addend(lane)),
          ...add,
          ...unsignedMinimum,
          ...set(minimum(lane)),
        ]),
        ...step(shingle, 4),
        ...repeatWhileBelow(shingle, shinglesEnd),
      ]),
      ...eachLane((lane) => [...get(permutation), ...get(minimum(lane)), ...vectorStore(place.minima + 16 * lane)]),
      ...step(permutation, 64),
      ...repeatWhileBelow(permutation, permutationsEnd),
    ]),
  ];
  const pages = Math.ceil((place.shingles + maxShingles * 4) / 65_536);
  const locals = [
    [2, type.i32],
    [13, type.v128],
  ] as const;
  return compileModule({ pages, name: 'take', parameters: 2, locals, body });
}

const splatLoad = [...vector(0x09), 2, 0];
const multiply = vector(0xb5);
const add = vector(0xae);
const unsignedMinimum = vector(0xb7);

/**
 * The first script in a sandbox, in both lanes: it takes the clock, randomness, locales and all that the engines do not share
 * from the language, then answers with the function that prepares an operator. Passed as text, so it refers to nothing outside
 * of itself; what it needs of the language later it keeps for itself, because the code of the operator can change the rest.
 */
function createGuest() {
  const { stringify, parse } = JSON;
  const { freeze, getOwnPropertyNames, getPrototypeOf, defineProperty, keys } = Object;
  const { isArray } = Array;
  const { imul } = Math;
  const asText = String;
  const RefusedError = TypeError;
  const { apply } = Reflect;
  const { has } = Set.prototype;
  const isIn = (set: ReadonlySet<string>, text: string): boolean => apply(has, set, [text]);
  const { charCodeAt, slice } = String.prototype;
  const codeAt = (text: string, at: number): number => apply(charCodeAt, text, [at]);
  const firstOf = (text: string, length: number): string => apply(slice, text, [0, length]);

  const language = [
    'Object Array Number Boolean String Symbol RegExp JSON Math ArrayBuffer DataView Map Set WeakMap WeakSet Proxy Reflect BigInt',
    'Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError',
    'Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array BigInt64Array BigUint64Array',
    'Float32Array Float64Array parseFloat parseInt isFinite isNaN Infinity NaN undefined globalThis',
    'decodeURI decodeURIComponent encodeURI encodeURIComponent',
  ].join(' ');
  const names = new Set(language.split(' '));
  const world = globalThis as unknown as Record<string, unknown>;
  const typedArray = getPrototypeOf(Uint8Array.prototype) as object;
  const iterator = getPrototypeOf(getPrototypeOf([][Symbol.iterator]()) as object) as object;
  const removed: [owner: object, names: string][] = [
    [Math, 'random sumPrecise'],
    [Array, 'fromAsync'],
    [Set, 'groupBy'],
    // QuickJS answers with a negative number.
    [BigInt, 'asUintN asIntN'],
    [Error, 'captureStackTrace prepareStackTrace stackTraceLimit'],
    [JSON, 'rawJSON isRawJSON'],
    [RegExp, "input $_ lastMatch $& lastParen $+ leftContext $` rightContext $' $1 $2 $3 $4 $5 $6 $7 $8 $9"],
    [Map.prototype, 'getOrInsert getOrInsertComputed'],
    [WeakMap.prototype, 'getOrInsert getOrInsertComputed'],
    [getPrototypeOf(Object) as object, 'fileName lineNumber columnNumber caller arguments'],
    [String.prototype, 'localeCompare toLocaleLowerCase toLocaleUpperCase'],
    ...[Object.prototype, Array.prototype, Number.prototype, BigInt.prototype, typedArray].map(
      (owner): [object, string] => [owner, 'toLocaleString'],
    ),
  ];
  for (const [owner, properties] of removed)
    for (const property of properties.split(' ')) Reflect.deleteProperty(owner, property);
  const { dispose } = Symbol as { dispose?: symbol };
  if (dispose !== undefined) Reflect.deleteProperty(iterator, dispose);
  // Code is never made of text: neither by `eval` nor by the constructors of functions.
  const refuseText = (): never => {
    throw new RefusedError('Code can not be made of text');
  };
  const kinds = [() => {}, async () => {}, function* () {}, async function* () {}];
  for (const kind of kinds) {
    const prototype = getPrototypeOf(kind) as object;
    defineProperty(prototype, 'constructor', { value: refuseText, writable: false, configurable: false });
  }
  for (const name of getOwnPropertyNames(world)) if (!names.has(name)) Reflect.deleteProperty(world, name);

  /** Numbers between 0 and 1 that depend on the sample alone, whatever was processed before it (sfc32). */
  function createRandom(seedOf: () => string): { random: () => number; restart: () => void } {
    let a = 0;
    let b = 0;
    let c = 0;
    let count = 0;
    let isSeeded = false;
    function next(): number {
      const sum = (((a + b) | 0) + count) | 0;
      count = (count + 1) | 0;
      a = b ^ (b >>> 9);
      b = (c + (c << 3)) | 0;
      c = (c << 21) | (c >>> 11);
      c = (c + sum) | 0;
      return (sum >>> 0) / 4294967296;
    }
    return {
      restart: () => void (isSeeded = false),
      random() {
        if (!isSeeded) {
          const text = seedOf();
          let hash = 2166136261;
          for (let at = 0; at < text.length; at += 1) hash = imul(hash ^ codeAt(text, at), 16777619);
          a = hash;
          b = imul(hash ^ 0x9e3779b9, 0x85ebca6b);
          c = imul(hash ^ text.length, 0xc2b2ae35);
          count = 1;
          isSeeded = true;
          for (let warm = 0; warm < 12; warm += 1) next();
        }
        return next();
      },
    };
  }

  /** What the engines say when code asks for too much memory, or calls itself too deeply. */
  const memoryMessages = new Set([
    'out of memory',
    'string too long',
    'Invalid string length',
    'Array buffer allocation failed',
    'BigInt is too large to allocate',
    'Maximum BigInt size exceeded',
  ]);
  const stackMessages = new Set(['stack overflow', 'Maximum call stack size exceeded']);

  function freezeAll(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    freeze(value);
    const names = keys(value);
    for (let at = 0; at < names.length; at += 1) freezeAll((value as Record<string, unknown>)[names[at] as string]);
  }

  function problemOf(error: unknown): string {
    try {
      const isError = typeof error === 'object' && error !== null && 'message' in error;
      const message = asText(isError ? error.message : error);
      // QuickJS throws null when it has not even memory for an error.
      if (error === null || isIn(memoryMessages, message)) return '\u0000memory';
      if (isIn(stackMessages, message)) return '\u0000stack';
      return firstOf(message, 500);
    } catch {
      return 'it threw what can not be shown';
    }
  }

  /** `[0]` as it is, `[1, outcome]`, `[2, problem]`, `[3, score]` kept as it is with a score. */
  function answerOf(outcome: unknown, sample: unknown): string {
    if (outcome === sample) return '[0]';
    if (typeof outcome === 'object' && outcome !== null && !isArray(outcome)) {
      const { verdict, sample: kept, score } = outcome as Record<string, unknown>;
      if (verdict === 'keep' && kept === sample && typeof score === 'number') return '[3,' + stringify(score) + ']';
    }
    let json: string | undefined;
    try {
      json = stringify(outcome);
    } catch {
      throw new RefusedError('Its answer can not be written as JSON');
    }
    return json === undefined ? '[1,null]' : '[1,' + json + ']';
  }

  /** Prepares an operator; answers with the function from a batch of samples (JSON) to the outcomes (JSON). */
  return function load(exported: unknown, paramsJson: string): (batch: string) => string {
    const each = (exported as { each?: unknown } | undefined)?.each;
    if (typeof each !== 'function') throw new RefusedError('Its default export has no function `each`');
    let seed: unknown = '';
    const { random, restart } = createRandom(() => (typeof seed === 'string' ? seed : stringify(seed)));
    const params = parse(paramsJson) as unknown;
    freezeAll(params);
    const process = apply(each as (...values: unknown[]) => unknown, exported, [params, freeze({ random })]);
    if (typeof process !== 'function') throw new RefusedError('Its function `each` answers with no function');
    return (batch) => {
      const samples = parse(batch) as unknown[];
      let answers = '[';
      for (let at = 0; at < samples.length; at += 1) {
        const given = samples[at];
        seed = given;
        restart();
        const sample = typeof given === 'string' ? { text: given } : given;
        let answer: string;
        try {
          if (typeof given === 'string') freeze(sample);
          else freezeAll(sample);
          answer = answerOf((process as (sample: unknown) => unknown)(sample), sample);
        } catch (error) {
          answer = '[2,' + stringify(problemOf(error)) + ']';
        }
        answers += at === 0 ? answer : ',' + answer;
      }
      return answers + ']';
    };
  };
}

export const guestSource = `(${createGuest.toString()})()`;

/**
 * The first script in a sandbox, in both lanes: it removes the clock, randomness, locales and everything that differs
 * between the engines from the language, then returns the function that prepares an operator. It is passed as text, so
 * it must not refer to anything outside of itself; it saves the built-ins that it needs later, because the operator's
 * code can change the rest.
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
  const { charCodeAt, slice, indexOf, isWellFormed } = String.prototype;
  const { call, bind } = Function.prototype;
  /** A method as a function that takes its object as first argument; code can not change what it calls. */
  const asFunction = (method: object): unknown => apply(bind, call, [method]);
  const codeAt = asFunction(charCodeAt) as (text: string, at: number) => number;
  const sliceOf = asFunction(slice) as (text: string, from: number, to: number) => string;
  const indexIn = asFunction(indexOf) as (text: string, part: string) => number;
  const isWellFormedText = asFunction(isWellFormed) as (text: string) => boolean;

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
    // QuickJS returns a negative number.
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
  // Code can not be created from text: neither by `eval` nor by function constructors.
  const refuseText = (): never => {
    throw new RefusedError('Code can not be made of text');
  };
  const kinds = [() => {}, async () => {}, function* () {}, async function* () {}];
  for (const kind of kinds) {
    const prototype = getPrototypeOf(kind) as object;
    defineProperty(prototype, 'constructor', { value: refuseText, writable: false, configurable: false });
  }
  for (const name of getOwnPropertyNames(world)) if (!names.has(name)) Reflect.deleteProperty(world, name);

  /** Numbers between 0 and 1 that only depend on the sample, not on earlier samples (sfc32). */
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

  /** The engines' messages for exhausted memory and for too deep recursion. */
  const memoryMessages = new Set([
    'out of memory',
    'string too long',
    'Invalid string length',
    'invalid string length',
    'invalid array buffer length',
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
      if (isIn(memoryMessages, message)) return '\u0000memory';
      if (isIn(stackMessages, message)) return '\u0000stack';
      return sliceOf(message, 0, 500);
    } catch {
      return 'it threw what can not be shown';
    }
  }

  let narrow = '';
  let wide = '';

  /** Whether a text leaves each engine unchanged: QuickJS ends it at NUL and changes lone surrogates. */
  function isPlain(text: unknown): text is string {
    return typeof text === 'string' && isWellFormedText(text) && indexIn(text, '\0') < 0;
  }

  /** The text of a sample that only has a text. */
  function textAlone(outcome: unknown): string | undefined {
    if (typeof outcome !== 'object' || outcome === null || isArray(outcome) || keys(outcome).length !== 1)
      return undefined;
    const { text } = outcome as { text?: unknown };
    return isPlain(text) ? text : undefined;
  }

  /** Appends a text to those of the answer, in the form (narrow or wide) of its sample; returns its number. */
  function numberOf(text: string, isWide: boolean): number {
    if (isWide) wide += text;
    else narrow += text;
    return 1 + 2 * text.length + (isWide ? 1 : 0);
  }

  /** The numbers of the texts of a list of samples that only have a text. */
  function numbersOf(outcome: readonly unknown[], isWide: boolean): string | undefined {
    let joined = '';
    let numbers = '';
    for (let at = 0; at < outcome.length; at += 1) {
      const text = textAlone(outcome[at]);
      if (text === undefined) return undefined;
      joined += text;
      numbers += (at === 0 ? '' : ',') + (1 + 2 * text.length + (isWide ? 1 : 0));
    }
    numberOf(joined, isWide);
    return numbers;
  }

  /** `[3, score]` for a sample kept unchanged with a score, `[5, reason, score?]` for a dropped one. */
  function verdictOf(outcome: object, sample: unknown): string | undefined {
    const { verdict, sample: kept, score, reason } = outcome as Record<string, unknown>;
    const isNumber = typeof score === 'number' && score - score === 0;
    if (verdict === 'keep' && kept === sample && isNumber) return '[3,' + score + ']';
    if (verdict !== 'drop' || typeof reason !== 'string') return undefined;
    return '[5,' + stringify(reason) + (isNumber ? ',' + score : '') + ']';
  }

  /**
   * `0`: unchanged; 1 + 2 × length, + 1 if wide: another text, which is appended to `narrow` or `wide`; `[4, […]]`:
   * several such texts; `[1, outcome]`: any other outcome; `[2, problem]`.
   */
  function answerOf(outcome: unknown, sample: unknown, isWide: boolean): string {
    if (outcome === sample) return '0';
    const text = textAlone(outcome);
    if (text !== undefined) return '' + numberOf(text, isWide);
    if (isArray(outcome)) {
      const numbers = numbersOf(outcome, isWide);
      if (numbers !== undefined) return '[4,[' + numbers + ']]';
    } else if (typeof outcome === 'object' && outcome !== null) {
      const verdict = verdictOf(outcome, sample);
      if (verdict !== undefined) return verdict;
    }
    let json: string | undefined;
    try {
      json = stringify(outcome);
    } catch {
      throw new RefusedError('Its answer can not be written as JSON');
    }
    return json === undefined ? '[1,null]' : '[1,' + json + ']';
  }

  /** Returns and clears the texts of the last answer. */
  function take(isWide: boolean): string {
    const texts = isWide ? wide : narrow;
    if (isWide) wide = '';
    else narrow = '';
    return texts;
  }

  /**
   * Prepares an operator; returns the function from a batch of samples (see `packing.ts` and `batches.ts`) to the head
   * of its answers, and the function that takes their texts.
   */
  function load(exported: unknown, paramsJson: string): (head: string, narrows: string, wides: string) => string {
    const each = (exported as { each?: unknown } | undefined)?.each;
    if (typeof each !== 'function') throw new RefusedError('Its default export has no function `each`');
    let seed = '';
    const { random, restart } = createRandom(() => seed);
    const params = parse(paramsJson) as unknown;
    freezeAll(params);
    const process = apply(each as (...values: unknown[]) => unknown, exported, [params, freeze({ random })]);
    if (typeof process !== 'function') throw new RefusedError('Its function `each` answers with no function');
    return (head, narrows, wides) => {
      const forms = parse(head) as number[];
      narrow = '';
      wide = '';
      let narrowAt = 0;
      let wideAt = 0;
      let answers = '[';
      for (let at = 0; at < forms.length; at += 1) {
        const form = forms[at] as number;
        const length = (form - (form % 4)) / 4;
        const isWide = form % 2 === 1;
        const given = isWide
          ? sliceOf(wides, wideAt, (wideAt += length))
          : sliceOf(narrows, narrowAt, (narrowAt += length));
        seed = given;
        restart();
        let answer: string;
        try {
          let sample: unknown;
          if (form % 4 > 1) freezeAll((sample = parse(given)));
          else sample = freeze({ text: given });
          answer = answerOf((process as (sample: unknown) => unknown)(sample), sample, isWide);
        } catch (error) {
          answer = '[2,' + stringify(problemOf(error)) + ']';
        }
        answers += at === 0 ? answer : ',' + answer;
      }
      return answers + ']';
    };
  }

  return { load, take };
}

export const guestSource = `(${createGuest.toString()})()`;

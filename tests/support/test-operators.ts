// Test operators for the engine's workers: misbehaving ones, and the built-in ones.
import { existsSync } from 'node:fs';
import { Type } from 'typebox';
import { foreign } from '../../server/kernel/sentences/index.ts';
import { operators as builtIn } from '../../server/operators/index.ts';
import {
  defineBatchOperator,
  defineOperator,
  defineSetOperator,
  drop,
  type Operator,
  type Outcome,
} from '../../server/operators/operator.ts';

const metadata = {
  version: '1.0.0',
  name: 'Test',
  description: 'Test.',
  modality: 'TEXT',
  kind: 'MAPPER',
  categories: [],
  params: Type.Object({}),
  examples: [],
} as const;

const wordThrower = defineOperator({
  ...metadata,
  id: 'word-thrower',
  each: () => (sample) => {
    if (sample.text.includes('throw')) throw new Error('it found the word throw');
    return sample;
  },
});

/** Signs every sample except those with the word `throw`, and drops none. */
const signThrower = defineSetOperator({
  ...metadata,
  id: 'sign-thrower',
  kind: 'DEDUPLICATOR',
  setExamples: [],
  all: () => ({
    keys: 1,
    words: 0,
    sign({ text }) {
      if (text.includes('throw')) throw new Error('it can not sign the word throw');
    },
    reduce: () => {},
  }),
});

/** Compares only once a file exists, so that a test decides how long the pass takes. */
const gateComparer = defineSetOperator({
  ...metadata,
  id: 'gate-comparer',
  kind: 'DEDUPLICATOR',
  params: Type.Object({ file: Type.String() }),
  setExamples: [],
  all: ({ file }) => ({
    keys: 1,
    words: 0,
    sign: () => {},
    reduce() {
      while (!existsSync(file)) pause(20);
    },
  }),
});

const wordHanger = defineOperator({
  ...metadata,
  id: 'word-hanger',
  each: () => (sample) => {
    while (sample.text.includes('hang'));
    return sample;
  },
});

/** Uses the number of milliseconds of CPU time that the text names. */
const timeSpender = defineOperator({
  ...metadata,
  id: 'time-spender',
  each: () => (sample) => {
    const milliseconds = Number(/\d+/.exec(sample.text)?.[0] ?? 0);
    const start = process.threadCpuUsage();
    for (;;) {
      const { user, system } = process.threadCpuUsage(start);
      if (user + system > milliseconds * 1000) return sample;
    }
  },
});

const wordKiller = defineOperator({
  ...metadata,
  id: 'word-killer',
  each: () => (sample) => {
    if (sample.text.includes('kill')) process.exit(3);
    return sample;
  },
});

/** Kills the whole process, as the kernel does when it uses too much memory. */
const processKiller = defineOperator({
  ...metadata,
  id: 'process-killer',
  each: () => (sample) => {
    if (sample.text.includes('kill')) process.kill(process.pid, 'SIGKILL');
    return sample;
  },
});

/** Ends the whole process, as a fault of native code does. */
const processAborter = defineOperator({
  ...metadata,
  id: 'process-aborter',
  each: () => (sample) => {
    abortAt(sample.text);
    return sample;
  },
});

function abortAt(text: string): void {
  if (!text.includes('abort')) return;
  process.kill(process.pid, 'SIGABRT');
  // The signal arrives at any thread, a moment later.
  pause(60_000);
}

const manyNumbers = `[${'1,'.repeat(3_000_000)}1]`;

/** Parses lists of numbers until a small heap is full: native code finds it so, at which V8 ends the process. */
const jsonParser = defineOperator({
  ...metadata,
  id: 'json-parser',
  each: () => (sample) => {
    const parsed: unknown[] = [];
    while (sample.text.includes('parse')) parsed.push(JSON.parse(manyNumbers));
    return sample;
  },
});

/** Writes to standard output, like a careless library. */
const talker = defineOperator({
  ...metadata,
  id: 'talker',
  each: () => (sample) => {
    console.log(sample.text);
    return sample;
  },
});

const memoryEater = defineOperator({
  ...metadata,
  id: 'memory-eater',
  each: () => (sample) => {
    const eaten: number[][] = [];
    while (sample.text.includes('eat')) eaten.push(Array.from({ length: 100_000 }, () => eaten.length));
    return sample;
  },
});

const wordSplitter = defineOperator({
  ...metadata,
  id: 'word-splitter',
  kind: 'SPLITTER',
  each: () => (sample) => sample.text.split(' ').map((text) => ({ text })),
});

const liar = defineOperator({
  ...metadata,
  id: 'liar',
  each: () => () => JSON.parse('{"no":"sample"}') as Outcome,
});

function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/** Slow, so that tests can observe a run in progress. */
const slowPasser = defineOperator({
  ...metadata,
  id: 'slow-passer',
  each: () => (sample) => {
    pause(5);
    return { text: sample.text.toUpperCase() };
  },
});

/** Waits at each text with the word `gate` until a file exists, so that a test decides how far a run gets. */
const gateWaiter = defineOperator({
  ...metadata,
  id: 'gate-waiter',
  params: Type.Object({ file: Type.String() }),
  each:
    ({ file }) =>
    (sample) => {
      while (sample.text.includes('gate') && !existsSync(file)) pause(20);
      return { text: sample.text.toUpperCase() };
    },
});

/** Writes the length of the text into a field, and a score with a name. */
const lengthWriter = defineOperator({
  ...metadata,
  id: 'length-writer',
  params: Type.Object({ field: Type.String({ default: 'length' }) }),
  reads: ['text', 'scores'],
  writes: ['fields', 'scores'],
  each:
    ({ field }) =>
    ({ text, scores }) => ({ fields: { [field]: text.length }, scores: { seen: (scores['seen'] ?? 0) + 1 } }),
});

/** Drops samples whose field `lang` has another value. */
const languageFilter = defineOperator({
  ...metadata,
  id: 'lang-filter',
  kind: 'FILTER',
  params: Type.Object({ lang: Type.String({ default: 'en' }) }),
  reads: ['fields'],
  each:
    ({ lang }) =>
    (sample) =>
      sample.fields['lang'] === lang ? sample : drop(foreign(`lang is ${JSON.stringify(sample.fields['lang'])}`)),
});

/** Converts user turns to upper case; removes system turns. */
const turnRewriter = defineOperator({
  ...metadata,
  id: 'turn-rewriter',
  reads: ['messages'],
  writes: ['messages'],
  each:
    () =>
    ({ messages }) => ({
      messages: messages
        .filter(({ role }) => role !== 'system')
        .map((message) => (message.role === 'user' ? { ...message, content: message.content.toUpperCase() } : message)),
    }),
});

/** Reverses the bytes of pictures; drops those that are too small. */
const pictureTurner = defineOperator({
  ...metadata,
  id: 'picture-turner',
  modality: 'IMAGE',
  reads: ['media'],
  writes: ['media'],
  each:
    () =>
    ({ media }) =>
      media.some(({ bytes }) => bytes.length < 3)
        ? drop(foreign('too small'))
        : { media: media.map(({ type, bytes }) => ({ type, bytes: bytes.toReversed() })) },
});

/** Upper case, many texts at once; a text with the word `throw` fails its whole batch, one with `hang` never ends. */
const batchRaiser = defineBatchOperator({
  ...metadata,
  id: 'batch-raiser',
  params: Type.Object({ split: Type.Boolean({ default: false }) }),
  samplesPerBatch: 4,
  batch: ({ split }) => ({
    async run(samples) {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      for (const { text } of samples) abortAt(text);
      if (samples.some(({ text }) => text.includes('throw'))) throw new Error('it found the word throw');
      if (samples.some(({ text }) => text.includes('hang'))) await new Promise(() => undefined);
      return samples.map(({ text }) => {
        const raised = text.toUpperCase();
        if (text.includes('drop')) return drop(foreign('it found the word drop'), text.length);
        return split ? raised.split(' ').map((part) => ({ text: part })) : { text: raised };
      });
    },
  }),
});

/** Writes a field that it doesn't declare. */
const secretWriter = defineOperator({
  ...metadata,
  id: 'secret-writer',
  reads: ['text', 'fields'],
  writes: ['text'],
  each: () => (sample) => ({ ...sample, fields: { ...sample.fields, lang: 'xx' } }),
});

export const operators: readonly Operator[] = [
  ...builtIn,
  wordThrower,
  signThrower,
  wordHanger,
  timeSpender,
  wordKiller,
  processKiller,
  processAborter,
  jsonParser,
  talker,
  memoryEater,
  wordSplitter,
  liar,
  slowPasser,
  gateWaiter,
  gateComparer,
  lengthWriter,
  languageFilter,
  turnRewriter,
  pictureTurner,
  secretWriter,
  batchRaiser,
];

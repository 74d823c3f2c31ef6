// What the engine's workers run in tests: operators that misbehave, and the built-in ones.
import { Type } from 'typebox';
import { operators as builtIn } from '../../server/operators/index.ts';
import { defineOperator, drop, type Operator, type Outcome } from '../../server/operators/operator.ts';

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

const wordHanger = defineOperator({
  ...metadata,
  id: 'word-hanger',
  each: () => (sample) => {
    while (sample.text.includes('hang'));
    return sample;
  },
});

/** Takes as much CPU time as the text says in milliseconds. */
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

const memoryEater = defineOperator({
  ...metadata,
  id: 'memory-eater',
  each: () => (sample) => {
    const eaten: string[][] = [];
    while (sample.text.includes('eat'))
      eaten.push(Array.from({ length: 100_000 }, (_, index) => `${index} ${eaten.length}`));
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

/** Takes its time, so that a run can be met while it goes on. */
const slowPasser = defineOperator({
  ...metadata,
  id: 'slow-passer',
  each: () => (sample) => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
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

/** Drops samples whose field `lang` is another. */
const languageFilter = defineOperator({
  ...metadata,
  id: 'lang-filter',
  kind: 'FILTER',
  params: Type.Object({ lang: Type.String({ default: 'en' }) }),
  reads: ['fields'],
  each:
    ({ lang }) =>
    (sample) =>
      sample.fields['lang'] === lang ? sample : drop(`lang is ${JSON.stringify(sample.fields['lang'])}`),
});

/** Upper case for what the user says; turns of the system go. */
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

/** Turns the bytes of pictures around; what is too small goes. */
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
        ? drop('too small')
        : { media: media.map(({ type, bytes }) => ({ type, bytes: bytes.toReversed() })) },
});

/** Writes what it doesn't declare. */
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
  wordHanger,
  timeSpender,
  wordKiller,
  memoryEater,
  wordSplitter,
  liar,
  slowPasser,
  lengthWriter,
  languageFilter,
  turnRewriter,
  pictureTurner,
  secretWriter,
];

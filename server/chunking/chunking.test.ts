import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { chunkText, type Chunking } from './chunking.ts';
import { measureOf } from './measure.ts';
import { wholeBlockFactor } from './splitting.ts';

const recursive: Chunking = { strategy: 'RECURSIVE', size: 120, overlap: 0, unit: 'CHARACTERS' };
const textsOf = (text: string, chunking: Partial<Chunking>): string[] =>
  chunkText(text, { ...recursive, ...chunking }).map((chunk) => chunk.text);

const strategies = ['RECURSIVE', 'FIXED', 'SENTENCE', 'MARKDOWN', 'PARAGRAPH', 'CUSTOM_SEPARATOR'] as const;
const piece = fc.constantFrom(
  '# Soil\n',
  '## 土壤\n\n',
  'Tillage loosens the soil. ',
  '土壤是农业的基础。',
  '🌱',
  '\n\n',
  '\r\n',
  '| a | b |\n',
  '|---|---|\n',
  '```\ncode();\n```\n',
  '```',
  'word ',
  'x'.repeat(70),
  '---\n',
  '\nTitle\n=====\n',
  '~~~~\n',
);

test('every character that is no white space is in a chunk, at the place that the chunk tells', () => {
  const texts = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));
  const chunkings = fc.record({
    strategy: fc.constantFrom(...strategies),
    size: fc.integer({ min: 1, max: 90 }),
    overlap: fc.integer({ min: 0, max: 60 }),
    unit: fc.constantFrom('CHARACTERS' as const, 'TOKENS' as const),
    separators: fc.constant(['---', '。']),
  });
  fc.assert(
    fc.property(texts, chunkings, (text, given) => {
      const chunking = { ...given, overlap: Math.min(given.overlap, given.size - 1) };
      const measure = measureOf(chunking.unit);
      const points = [...text];
      const isCovered = new Uint8Array(points.length);
      let last = -1;
      for (const chunk of chunkText(text, chunking)) {
        assert.equal(points.slice(chunk.start, chunk.end).join(''), chunk.text);
        assert.equal(chunk.text.trim(), chunk.text);
        assert.ok(chunk.text !== '' && chunk.end > last, 'each chunk goes further than the one before');
        last = chunk.end;
        isCovered.fill(1, chunk.start, chunk.end);
        // A character may be several tokens, and a word may have more tokens without the space before it.
        const slack = chunking.unit === 'TOKENS' ? 3 : 0;
        if (measure(chunk.text) > chunking.size + slack)
          assert.match(chunk.text, /^\||```|~~~~/, 'only tables and code are larger than a chunk');
      }
      points.forEach((point, at) => assert.ok(isCovered[at] === 1 || point.trim() === '', `${at} is in no chunk`));
    }),
    { numRuns: 400 },
  );
});

test('paragraphs go together as long as they fit, and sentences are not cut', () => {
  const text = 'First one. It is short.\n\nSecond one.\n\n' + 'A longer sentence stands here, of words. '.repeat(5);
  assert.deepEqual(textsOf(text, {}), [
    'First one. It is short.\n\nSecond one.\n\nA longer sentence stands here, of words. A longer sentence stands here, of words.',
    'A longer sentence stands here, of words. A longer sentence stands here, of words.',
    'A longer sentence stands here, of words.',
  ]);
  const chinese = '土壤是农业的基础。有机质能够提高保水能力！农民使用圆盘耙。'.repeat(3);
  for (const chunk of textsOf(chinese, { size: 25 })) assert.match(chunk, /[。！]$/);
});

test('sentences repeat within the overlap, and no chunk only repeats', () => {
  const text = 'One is first. Two is next. Three is then. Four is last.';
  assert.deepEqual(textsOf(text, { strategy: 'SENTENCE', size: 30, overlap: 15 }), [
    'One is first. Two is next.',
    'Two is next. Three is then.',
    'Three is then. Four is last.',
  ]);
});

test('headings above a chunk are its context, those of code are none', () => {
  const text =
    '# Manual\n\n## Soil\n\nAbout soil.\n\n```\n# no heading\n```\n\n## Water\n\nAbout water.\n\n# Index\n\nWords.\n';
  const chunks = chunkText(text, { ...recursive, strategy: 'MARKDOWN' });
  assert.deepEqual(
    chunks.map(({ text: chunk, headings }) => [chunk.split('\n')[0], headings]),
    [
      ['# Manual', []],
      ['## Soil', ['Manual']],
      ['## Water', ['Manual']],
      ['# Index', []],
    ],
  );
});

test('a title with an underline is a heading; other lines of marks are none', () => {
  const text =
    'Guide\n=====\n\nFirst section\n~~~~~~~~~~~~~\nAlpha text.\n\n======\nBehind\n======\n中文标题\n--------\nBeta text.\n';
  for (const strategy of ['MARKDOWN', 'PARAGRAPH'] as const) {
    const chunks = chunkText(text, { ...recursive, strategy });
    assert.deepEqual(
      chunks.slice(strategy === 'MARKDOWN' ? 1 : 0).map(({ text: chunk, headings }) => [chunk, headings]),
      strategy === 'MARKDOWN'
        ? [
            ['First section\n~~~~~~~~~~~~~\nAlpha text.', ['Guide']],
            ['======\nBehind\n======', []],
            ['中文标题\n--------\nBeta text.', ['Behind']],
          ]
        : [
            ['Guide\n=====\n\nFirst section\n~~~~~~~~~~~~~\nAlpha text.', []],
            ['======\nBehind\n======\n中文标题\n--------\nBeta text.', []],
          ],
    );
  }
  for (const strategy of ['RECURSIVE', 'SENTENCE'] as const) {
    const chunks = chunkText(`First section\n~~~~~~~~~~~~~\n${'Alpha text. '.repeat(30)}`, { ...recursive, strategy });
    assert.ok(chunks.length > 3, 'the underline begins no block of code');
    assert.deepEqual(chunks.at(-1)?.headings, ['First section']);
  }
  const none = [
    'Much longer than its line\n-----',
    '- item\n------',
    '    code\n----',
    '----\nmake\n----',
    'cut\n~~~\na\n~~~',
  ];
  for (const lines of none)
    assert.deepEqual(chunkText(`${lines}\n\nText.`, { ...recursive, size: 8 }).at(-1)?.headings, []);
});

test('lines with # are comments and commands in a plain text', () => {
  const text = 'Notes\n-----\n\n# ls -l\n\nAlpha.\n';
  const headings = (syntax: 'MARKDOWN' | 'PLAIN') =>
    chunkText(text, { ...recursive, size: 7 }, [], syntax).at(-1)?.headings;
  assert.deepEqual([headings('MARKDOWN'), headings('PLAIN')], [['ls -l'], ['Notes']]);
});

test('tables and code stay whole, and are cut between lines where they are far too large', () => {
  const table = `| name | size |\n|---|---|\n${'| wheat | 12 |\n'.repeat(20)}`;
  assert.ok(table.length > 120 && table.length <= wholeBlockFactor * 120);
  assert.deepEqual(textsOf(`Before.\n\n${table}\nBehind.\n`, {}), ['Before.', table.trim(), 'Behind.']);
  const code = `\`\`\`c\n${'int value = 1;\n'.repeat(60)}\`\`\`\n`;
  const parts = textsOf(code, {});
  assert.ok(parts.length > 1);
  for (const part of parts) for (const line of part.split('\n')) assert.match(line, /^(```c?|int value = 1;)$/);
});

test('a chunk with text of several pages has all of them, with their places in it', () => {
  const text = '😀 one\n\ntwo\n\nthree\n\nfour';
  const pages = ['😀 one', 'two', 'three', 'four'].map((words, index) => {
    const start = text.indexOf(words);
    return { number: index + 1, start, end: start + words.length };
  });
  const [whole] = chunkText(text, { ...recursive, size: 100, overlap: 0 }, pages);
  assert.deepEqual(whole?.pages, [
    { page: 1, start: 0 },
    { page: 2, start: 7 },
    { page: 3, start: 12 },
    { page: 4, start: 19 },
  ]);
  for (const { page, pages: several } of chunkText(text, { ...recursive, size: 6, overlap: 0 }, pages)) {
    assert.notEqual(page, null);
    assert.equal(several, undefined);
  }
});

test('the page of a chunk is that on which it starts', () => {
  const text = 'Page one is here.\n\nPage two is there.\n\n';
  const pages = [
    { number: 1, start: 0, end: 19 },
    { number: 2, start: 19, end: text.length },
  ];
  const chunks = chunkText(text, { ...recursive, size: 20 }, pages);
  assert.deepEqual(
    chunks.map(({ page }) => page),
    [1, 2],
  );
  assert.deepEqual(
    chunkText(text, recursive).map(({ page }) => page),
    [null],
  );
});

test('separators of choice cut, and stay with what they end', () => {
  assert.deepEqual(textsOf('a\n===\nb and c\n===\n\nd', { strategy: 'CUSTOM_SEPARATOR', separators: ['===\n'] }), [
    'a\n===',
    'b and c\n===',
    'd',
  ]);
});

test('tokens count as a tokenizer counts them', () => {
  const text = 'Tillage loosens the upper layer of the soil. '.repeat(20);
  const measure = measureOf('TOKENS');
  for (const chunk of textsOf(text, { unit: 'TOKENS', size: 25 })) assert.ok(measure(chunk) <= 25);
  assert.equal(measure('<|endoftext|>') > 1, true, 'marks of a tokenizer are plain text in a document');
});

test('the time to cut grows with the text, also of giant words, white space, lines and headings', () => {
  const texts = {
    word: 'a'.repeat(100_000),
    spaces: `x${' '.repeat(100_000)}x`,
    heading: `# ${' '.repeat(100_000)}x`,
    parts: 'ab'.repeat(50_000),
  };
  const begun = performance.now();
  for (const text of Object.values(texts))
    for (const unit of ['CHARACTERS', 'TOKENS'] as const)
      for (const strategy of ['RECURSIVE', 'FIXED', 'CUSTOM_SEPARATOR'] as const) {
        const chunking = { ...recursive, unit, strategy, separators: ['b', 'one', 'two', 'three', 'none'] };
        assert.ok(chunkText(text, chunking).length > 0);
      }
  // Each took minutes to hours when a step scanned the rest of the text.
  assert.ok(performance.now() - begun < 120_000);
});

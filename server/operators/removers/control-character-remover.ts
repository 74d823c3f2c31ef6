import { Type } from 'typebox';
import { defineOperator } from '../operator.ts';

// Control characters that are line breaks in Unicode (UAX #14, classes BK and NL): VT, FF and NEL. Removing them would
// join two words, so they become a line feed.
// oxlint-disable-next-line no-control-regex
const lineBreaks = /[\u000b\u000c\u0085]/g;

// Separators of files, groups, records and units; the placeholder of an embedded object. They separate words.
// oxlint-disable-next-line no-control-regex
const separators = /[\u001c-\u001f\ufffc]/g;

// C0 except tab, line feed and carriage return; DEL; C1. Also characters that Unicode deprecates or that have no
// meaning in plain text: deprecated format characters, interlinear annotation, noncharacters at the end of the plane.
// oxlint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000e-\u001b\u007f-\u0084\u0086-\u009f\u206a-\u206f\ufff9-\ufffb\ufffe\uffff]/g;

// Zero-width characters without a meaning in running text: soft hyphen, zero width space, word joiner, invisible
// mathematical operators, byte order mark. Joiners (U+200C, U+200D) stay: Persian, Indic scripts and emoji need them.
const zeroWidth = /[\u00ad\u200b\u2060-\u2064\ufeff]/g;
// In Thai, Lao, Khmer and Burmese, which have no spaces between words, a zero width space separates words.
const betweenWords =
  /(?<=[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff])\u200b(?=[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff])/;
const zeroWidthButBetweenWords = new RegExp(`(?!${betweenWords.source})${zeroWidth.source}`, 'g');

// Explicit embeddings, overrides and isolates; the marks U+200E, U+200F and U+061C stay because plain Arabic and Hebrew
// use them.
const bidi = /[\u202a-\u202e\u2066-\u2069]/g;

const anySuspect = `[${[lineBreaks, separators, controls, zeroWidth, bidi].map(({ source }) => source.slice(1, -1)).join('')}]`;
// Searching for one class of characters is several times as fast as for four.
const suspects = new RegExp(anySuspect);
const allSuspects = new RegExp(anySuspect, 'g');

export const controlCharacterRemover = defineOperator({
  id: 'control-character-remover',
  version: '1.1.0',
  name: 'Remove control characters',
  description:
    'Removes invisible characters: control codes (C0, DEL, C1), zero-width spaces, byte order marks and, optionally, bidirectional overrides. Tabs and line endings are kept; vertical tab, form feed and NEL become line endings, and record separators become spaces, so that no words are joined. Repair mojibake first: C1 codes are part of it.',
  modality: 'TEXT',
  kind: 'MAPPER',
  categories: ['normalization', 'characters'],
  params: Type.Object({
    zeroWidth: Type.Boolean({
      title: 'Zero-width characters',
      default: true,
      description:
        'Also remove zero-width spaces, soft hyphens, word joiners and byte order marks (joiners needed for spelling, and spaces between Thai or Khmer words, are kept)',
    }),
    bidi: Type.Boolean({
      title: 'Bidirectional marks',
      default: false,
      description:
        'Also remove bidirectional embeddings, overrides and isolates, which can make text display differently from what it contains',
    }),
  }),
  measures: [
    { name: 'controlCharacters', description: 'Control, zero-width and bidirectional characters', scale: 'COUNT' },
  ],
  measure: ({ text }) => [text.match(allSuspects)?.length ?? 0],
  examples: [
    {
      title: 'Control codes are removed',
      params: {},
      input: 'a\u0001b\u0007c\u001b[0m\u007f\u009fd',
      output: 'abc[0md',
    },
    { title: 'Tabs and line endings are kept', params: {}, input: 'a\tb\r\nc\n', output: 'a\tb\r\nc\n' },
    {
      title: 'Other line breaks become line feeds',
      params: {},
      input: 'page 1\fpage 2\u000bx\u0085y',
      output: 'page 1\npage 2\nx\ny',
    },
    { title: 'Separators become spaces, | is kept', params: {}, input: 'a\u001fb|c\u001ed', output: 'a b|c d' },
    { title: 'Soft hyphens are removed', params: {}, input: 'exam\u00adple', output: 'example' },
    { title: 'Spaces between Thai words are kept', params: {}, input: 'ไทย\u200bคำ', output: 'ไทย\u200bคำ' },
    {
      title: 'Zero-width characters are removed',
      params: {},
      input: '\ufeffzero\u200bwidth\u2060',
      output: 'zerowidth',
    },
    {
      title: 'Zero-width characters kept',
      params: { zeroWidth: false },
      input: 'zero\u200bwidth',
      output: 'zero\u200bwidth',
    },
    {
      title: 'Joiners needed for spelling are kept',
      params: {},
      input: 'می\u200cخواهم 👩\u200d💻',
      output: 'می\u200cخواهم 👩\u200d💻',
    },
    { title: 'Overrides are kept by default', params: {}, input: 'a\u202eb\u202c', output: 'a\u202eb\u202c' },
    { title: 'Overrides removed', params: { bidi: true }, input: 'a\u202eb\u202c\u2066c\u2069', output: 'abc' },
  ],
  chinese: {
    name: '去除控制字符',
    description:
      '去掉读者看不见的字符：控制码（C0、DEL、C1）、零宽空格、字节顺序标记，并可按需去掉双向文字的控制符。制表符和换行保留；垂直制表符、换页符和 NEL 变为换行，记录分隔符变为空格：不会把词连在一起。请先修复乱码，C1 控制码是乱码的一部分。',
    measures: { controlCharacters: '控制字符、零宽字符和双向控制符的个数' },
    params: {
      zeroWidth: {
        title: '零宽字符',
        help: '同时去掉零宽空格、软连字符、单词连接符和字节顺序标记（参与拼写的连接符，以及泰文、高棉文词间的零宽空格保留）',
      },
      bidi: { title: '双向文字控制符', help: '同时去掉双向文字的嵌入、覆盖和隔离符，它们会使文字读起来与实际不同' },
    },
    examples: {
      'Control codes are removed': '去掉控制码',
      'Tabs and line endings are kept': '保留制表符和换行',
      'Other line breaks become line feeds': '其他换行变为换行符',
      'Separators become spaces, | is kept': '分隔符变为空格，| 保留',
      'Soft hyphens are removed': '去掉软连字符',
      'Spaces between Thai words are kept': '泰文词间的空格保留',
      'Zero-width characters are removed': '去掉零宽字符',
      'Zero-width characters kept': '按需保留零宽字符',
      'Joiners needed for spelling are kept': '连接符参与拼写',
      'Overrides are kept by default': '默认保留双向控制符',
      'Overrides removed': '按需去掉双向控制符',
    },
  },
  each: (params) => (sample) => {
    if (!suspects.test(sample.text)) return sample;
    let text = sample.text.replace(lineBreaks, '\n').replace(separators, ' ').replace(controls, '');
    if (params.zeroWidth) text = text.replace(zeroWidthButBetweenWords, '');
    if (params.bidi) text = text.replace(bidi, '');
    return text === sample.text ? sample : { ...sample, text };
  },
});

import { Type } from 'typebox';
import { defineOperator } from '../operator.ts';

// An emoji is a character shown in colour (UTS #51): by default, because U+FE0F follows, or because its block has only
// emoji; including skin tones, joined sequences (U+200D), flags of letters or tags, and keycaps.
const picture = String.raw`(?:\p{Extended_Pictographic}\ufe0f|\p{Emoji_Presentation}|(?=[\u{1f000}-\u{1faff}☹☺♥❣❤])\p{Extended_Pictographic})[\u{1f3fb}-\u{1f3ff}]?[\u{e0020}-\u{e007f}]*`;
const emoji = new RegExp(
  String.raw`\p{RI}\p{RI}|[0-9#*]\ufe0f?\u20e3|${picture}(?:\u200d(?:${picture}|[♀♂⚕⚖✈]\ufe0f?))*|[\u{1f3fb}-\u{1f3ff}]|\p{RI}`,
  'gu',
);
/** Emoji with blanks between them, and a blank on each side. */
const runs = new RegExp(String.raw`([^\S\n]?)(?:${emoji.source})+(?:[^\S\n](?:${emoji.source})+)*([^\S\n]?)`, 'gu');
const possible = /[\u203c-\u3299\ud83c-\ud83e]|\ufe0f|\u20e3/;

export const emojiRemover = defineOperator({
  id: 'emoji-remover',
  version: '1.0.0',
  name: 'Remove emoji',
  description:
    'Removes emoji (UTS #51), including skin tones, joined families, flags and keycaps, or replaces them with a text. Symbols that are text by default are kept: ©, ™, ✓, →, №. If an emoji has blanks on both sides, one is kept.',
  modality: 'TEXT',
  kind: 'MAPPER',
  categories: ['cleaning', 'characters'],
  params: Type.Object({
    replacement: Type.String({
      title: 'Replacement',
      default: '',
      maxLength: 100,
      description: 'Text to write in place of each emoji; empty: remove them',
    }),
  }),
  examples: [
    { title: 'Emoji are removed', params: {}, input: 'Great 😀👍🏽!', output: 'Great !' },
    { title: 'One blank is kept', params: {}, input: 'hello 😀 world 🎉', output: 'hello world' },
    { title: 'In Chinese text', params: {}, input: '太好了😂😂，谢谢❤️', output: '太好了，谢谢' },
    { title: 'Families, flags and keycaps are removed whole', params: {}, input: 'a👨‍👩‍👧‍👦b🇨🇳c1️⃣d🏴󠁧󠁢󠁥󠁮󠁧󠁿e', output: 'abcde' },
    { title: 'Text symbols are kept', params: {}, input: '© 2024 ™ ✓ → № 5 # *', output: '© 2024 ™ ✓ → № 5 # *' },
    { title: 'Replaced with a text', params: { replacement: '[emoji]' }, input: 'ok 👌', output: 'ok [emoji]' },
  ],
  chinese: {
    name: '去除表情符号',
    description:
      '去掉表情符号（UTS #51），包括肤色、组合的家庭、旗帜和键帽，或用一段文字代替。默认为文本的符号保留：©、™、✓、→、№。表情两侧的空格保留一个。',
    params: { replacement: { title: '替换文字', help: '代替表情符号的文字' } },
    examples: {
      'Emoji are removed': '去掉表情',
      'One blank is kept': '保留一个空格',
      'In Chinese text': '中文文本中',
      'Families, flags and keycaps are removed whole': '家庭、旗帜和键帽整个去掉',
      'Text symbols are kept': '文本符号保留',
      'Replaced with a text': '用文字代替',
    },
  },
  each:
    ({ replacement }) =>
    (sample) => {
      const { text: given } = sample;
      if (!possible.test(given)) return sample;
      const text =
        replacement === ''
          ? given.replace(runs, (found, before: string, after: string, at: number) => {
              const isLineStart = at === 0 || given[at - 1] === '\n';
              const isLineEnd = at + found.length === given.length || given[at + found.length] === '\n';
              return (isLineStart && before === '') || (isLineEnd && after === '')
                ? ''
                : before === ''
                  ? after
                  : before;
            })
          : given.replace(emoji, () => replacement);
      return text === given ? sample : { ...sample, text };
    },
});

import { Type } from 'typebox';
import { defineOperator } from '../operator.ts';

const maxLength = 400;
/** A digit may directly follow the label (`Fig.3`); a letter or a Roman numeral needs a blank or a dot before it. */
const digits = String.raw`[A-Z]?\d{1,3}(?:[.\-–]\d{1,3}){0,2}[A-Za-z]?`;
const number = String.raw`(?:${digits}|(?<=[\s.])(?:[IVX]{1,5}|[ivx]{2,5}|[A-Z]))(?![A-Za-z\d])`;
const marks = String.raw`[\s>*_#|]{0,8}`;
const labels = ['figure', String.raw`fig\.?`, 'table', String.raw`tab\.`]
  .concat('chart', 'scheme', 'plate', 'exhibit', 'listing', 'algorithm')
  .flatMap((label) => [label, label.charAt(0).toUpperCase() + label.slice(1), label.toUpperCase()])
  .join('|');
/** `Figure 3.`, `Table 2-1:`, `Fig. 4 – …`, or nothing after the number. */
const separated = new RegExp(
  String.raw`^${marks}(?:${labels})\s{0,2}${number}\)?[*_]{0,2}(?:\s{0,2}[:：|—–]|\.(?=[*_]{0,2}(?:\s|$))|\s{1,2}-\s|\s*$)`,
);
/** `Table 3 Results of the first experiment`: a title, so it begins with a capital letter and has no full stop. */
const titled = new RegExp(
  String.raw`^${marks}(?:Fig(?:ure|\.)?|Table|FIGURE|TABLE|FIG\.)\s${number}\s{1,4}[A-Z][^.!?]{3,150}$`,
);
const chineseNumber = String.raw`(?:[A-Z]?\d{1,3}(?:[.\-–—]\d{1,3}){0,2}|[一二三四五六七八九十]{1,3})`;
const chinese = new RegExp(
  String.raw`^${marks}(?:附?[图表圖]|算法|代码|代碼|清单)\s{0,2}${chineseNumber}(?:\s{0,2}[:：.．、]\s{0,4}|\s{1,4}|$)(?<title>.{0,120})$`,
);
const chineseSentence =
  /[。！？；]|^(?:显示|顯示|给出|給出|展示|列出|说明|說明|表明|描述|反映|所示|是(?!否)|为|為|中|和|与|與|的|可以|可知|可见|可見|总结|總結|比较了|汇总|則|则|、|及|对应|来自)/;
const verbs =
  /^(?:shows?|presents?|lists?|gives?|gave|illustrates?|depicts?|summari[sz]es?|compares?|displays?|reports?|contains?|describes?|provides?|demonstrates?|is|are|was|were|has|have|can|and|in|of|for|above|below|which|we|also)\b/i;

export const captionRemover = defineOperator({
  id: 'caption-remover',
  version: '1.1.0',
  name: 'Remove captions',
  description:
    "Removes captions of figures and tables: lines with a label and its number (Figure 3, Table 2-1, 图 1, 表2-1) followed by a colon, a dot, a dash or a title. Sentences that refer to a figure or table, such as 'Table 3 shows …' or '图 3 给出了…', are kept.",
  modality: 'TEXT',
  kind: 'MAPPER',
  categories: ['cleaning'],
  params: Type.Object({}),
  examples: [
    {
      title: 'Captions are removed',
      params: {},
      input: 'Text.\nFigure 3. The pipeline\nTable 2-1: Results of all runs.\nMore text.',
      output: 'Text.\nMore text.',
    },
    {
      title: 'Sentences are kept',
      params: {},
      input: 'Table 3 shows the results.\nFigure 2 and Table 1 are above.\nTable tennis is fun.',
      output: 'Table 3 shows the results.\nFigure 2 and Table 1 are above.\nTable tennis is fun.',
    },
    {
      title: 'A label needs a number of its own',
      params: {},
      input:
        'Tables: users, orders and items are kept in sync.\nAlgorithms. The most popular ones are RSA and DSA.\nCharts - a short guide\nschemes: [ String ],\nTABLES\nFigured: yes',
      output:
        'Tables: users, orders and items are kept in sync.\nAlgorithms. The most popular ones are RSA and DSA.\nCharts - a short guide\nschemes: [ String ],\nTABLES\nFigured: yes',
    },
    {
      title: 'Letters and Roman numbers',
      params: {},
      input: 'TABLE IV. Results\nFigure A: Overview\nFig.3a. Detail\nText.',
      output: 'Text.',
    },
    {
      title: 'Chinese',
      params: {},
      input: '图 1 系统架构\n表2-1：实验结果\n图 3 给出了实验结果。\n表 2 所示的数据来自调查。',
      output: '图 3 给出了实验结果。\n表 2 所示的数据来自调查。',
    },
    { title: 'A title without a dot', params: {}, input: 'Table 4 Accuracy of the models\nText', output: 'Text' },
    {
      title: 'A multi-line caption',
      params: {},
      input: 'Figure 1: Overview of the system\nwith all of its parts.\n\nText',
      output: '\nText',
    },
  ],
  chinese: {
    name: '去除图表标题',
    description:
      '去掉图表的标题行：标签和编号（Figure 3、Table 2-1、图 1、表2-1），其后是冒号、句点、破折号或标题文字。提到图表的句子保留，如“Table 3 shows …”“图 3 给出了…”。',
    params: {},
    examples: {
      'Captions are removed': '去掉图表标题',
      'Sentences are kept': '句子保留',
      'A label needs a number of its own': '标签须有自己的编号',
      'Letters and Roman numbers': '字母和罗马数字编号',
      Chinese: '中文',
      'A title without a dot': '没有句点的标题',
      'A multi-line caption': '多行标题',
    },
  },
  each: () => (sample) => {
    if (!/fig|tab|chart|scheme|plate|exhibit|listing|algorithm|[图表圖]|算法|代[码碼]|清单/i.test(sample.text))
      return sample;
    const lines = sample.text.split(/(?<=\n)/);
    let isOpen = false;
    const kept = lines.filter((line) => {
      // A caption continues in the next line unless that line begins a sentence.
      isOpen = isOpen ? /^[a-z(,]/.test(line) && !isCaption(line.trimEnd()) : false;
      if (isOpen) {
        isOpen = !/[.!?。]\s*$/.test(line);
        return false;
      }
      if (!isCaption(line.trimEnd())) return true;
      isOpen = !/[.!?。]\s*$/.test(line);
      return false;
    });
    return kept.length === lines.length ? sample : { ...sample, text: kept.join('') };
  },
});

function isCaption(line: string): boolean {
  if (line.length > maxLength) return false;
  const label = separated.exec(line)?.[0];
  if (label !== undefined) return !verbs.test(line.slice(label.length).trim());
  if (titled.test(line)) return !verbs.test(line.replace(/^.*?\d[^\s]*\s+/, ''));
  const title = chinese.exec(line)?.groups?.['title'];
  return title !== undefined && !chineseSentence.test(title);
}

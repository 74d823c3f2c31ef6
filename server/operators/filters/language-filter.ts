import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { detectLanguage, detectWithConfidence, languages as known, undetermined } from './language-detector.ts';
import { itemsOf, listParam } from '../list-param.ts';
import { defineOperator, drop, keep } from '../operator.ts';

const reasons = defineSentences('language-filter', {
  LANGUAGE_NOT_KEPT: 'the language {language} is not among {languages}',
  LANGUAGE_UNKNOWN: 'must contain only known language codes; {code} is not one of {known}',
  LANGUAGE_UNSURE: 'confidence {confidence} that the language is {language} is below {min}',
  LANGUAGE_UNDETERMINED: 'the language can not be determined',
});

export const languageFilter = defineOperator({
  id: 'language-filter',
  version: '1.2.0',
  name: 'Filter by language',
  description:
    'Keeps samples in the chosen languages, out of 60, and drops the others. The language is detected from the first 1,000 characters, ignoring web addresses (n-grams, eld); for a text in several languages it is the most common one. Indonesian is not among the 60 and is detected as Malay (`ms`).',
  modality: 'TEXT',
  kind: 'FILTER',
  categories: ['filter', 'language'],
  params: Type.Object({
    languages: listParam({
      title: 'Languages',
      default: ['en', 'zh'],
      minItems: 1,
      maxItems: 100,
      description: 'Languages to keep, as ISO 639-1 codes',
    }),
    minConfidence: Type.Number({
      title: 'Minimum confidence',
      default: 0.01,
      minimum: 0.01,
      maximum: 1,
      description:
        'Samples detected with lower confidence are dropped; running text has 0.6 or more. Other languages count as 0, undetermined ones as 1 or 0',
    }),
    keepUndetermined: Type.Boolean({
      title: 'Keep undetermined samples',
      default: true,
      description: 'Also keep samples whose language cannot be determined: too few words, numbers, code',
    }),
  }),
  thresholds: [{ param: 'minConfidence', direction: 'min' }],
  label: { name: 'language', description: 'Language of the text', of: ({ text }) => detectLanguage(text) },
  check: ({ languages }) => {
    const unknown = itemsOf(languages).find((code) => !known.includes(code));
    if (unknown === undefined) return undefined;
    return { field: 'languages', problem: reasons.LANGUAGE_UNKNOWN.reason({ code: unknown, known: known.join(', ') }) };
  },
  examples: [
    {
      title: 'A wanted language',
      params: { languages: ['zh'] },
      input: '数据清洗是机器学习的第一步。',
      output: '数据清洗是机器学习的第一步。',
    },
    {
      title: 'Another language',
      params: { languages: ['en', 'zh'] },
      input: 'Die Daten werden vor dem Training bereinigt.',
      output: { drop: 'the language de is not among en, zh' },
    },
    {
      title: 'Not sure enough',
      params: { languages: ['en'], minConfidence: 0.9 },
      input: 'Hello world, my friends.',
      output: { drop: 'confidence 0.7573 that the language is en is below 0.9' },
    },
    { title: 'Too little to tell', params: {}, input: '4711', output: '4711' },
    {
      title: 'Too little to tell, and not wanted',
      params: { keepUndetermined: false },
      input: '4711',
      output: { drop: 'the language can not be determined' },
    },
  ],
  chinese: {
    name: '按语言过滤',
    description:
      '保留 60 种语言中指定的几种，剔除其余的样本。根据去掉网址后的前 1,000 个字符判断语言（n-gram，eld）；含多种语言的文本按最多的一种计。印尼语不在其中，会被识别为马来语（`ms`）。',
    params: {
      languages: { title: '语言', help: '要保留的语言，用 ISO 639-1 代码表示，以逗号分隔' },
      minConfidence: {
        title: '最低置信度',
        help: '保留的所要语言的最低置信度；连贯的文本为 0.6 以上。其他语言计为 0，无法判断的计为 1 或 0',
      },
      keepUndetermined: { title: '保留无法判断的', help: '也保留无法判断语言的样本：词太少、数字、代码' },
    },
    examples: {
      'A wanted language': '所要的语言',
      'Another language': '其他语言',
      'Not sure enough': '不够确定',
      'Too little to tell': '太少，无法判断',
      'Too little to tell, and not wanted': '太少，无法判断，也不要',
    },
    reasons: {
      LANGUAGE_NOT_KEPT: '语言 {language} 不在 {languages} 之中',
      LANGUAGE_UNKNOWN: '只能由已知语言的代码组成；{code} 不在 {known} 之中',
      LANGUAGE_UNSURE: '语言为 {language} 的置信度 {confidence} 低于 {min}',
      LANGUAGE_UNDETERMINED: '无法判断语言',
    },
  },
  each: ({ languages, minConfidence: min, keepUndetermined }) => {
    const wanted = new Set(itemsOf(languages));
    const listed = [...wanted].join(', ');
    return (sample) => {
      const found = detectWithConfidence(sample.text);
      const { language } = found;
      if (language === undetermined)
        return keepUndetermined ? keep(sample, 1) : drop(reasons.LANGUAGE_UNDETERMINED.reason({}), 0);
      if (!wanted.has(language)) return drop(reasons.LANGUAGE_NOT_KEPT.reason({ language, languages: listed }), 0);
      const confidence = Math.max(0.01, Math.round(found.confidence * 10_000) / 10_000);
      if (confidence < min) return drop(reasons.LANGUAGE_UNSURE.reason({ confidence, language, min }), confidence);
      return keep(sample, confidence);
    };
  },
});

import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { detectLanguage, languages as known, undetermined } from './language-detector.ts';
import { defineOperator, drop } from '../operator.ts';

const reasons = defineSentences('language-filter', {
  LANGUAGE_NOT_KEPT: 'the language {language} is not among {languages}',
  LANGUAGE_UNKNOWN: 'must consist of codes of known languages; {code} is none of {known}',
  LANGUAGE_UNDETERMINED: 'the language can not be determined',
});

const codesOf = (languages: string): string[] => languages.split(',').map((code) => code.trim());

export const languageFilter = defineOperator({
  id: 'language-filter',
  version: '1.0.0',
  name: 'Filter by language',
  description:
    'Keeps samples in some of 60 languages and drops the others. The language is told from the first 1,000 characters, without addresses (n-grams, eld); of a text in several languages it is the commonest.',
  modality: 'TEXT',
  kind: 'FILTER',
  categories: ['filter', 'language'],
  params: Type.Object({
    languages: Type.String({
      title: 'Languages',
      default: 'en, zh',
      pattern: '^ *[a-z]{2} *(, *[a-z]{2} *)*$',
      maxLength: 400,
      description: 'Languages that are kept, as codes of ISO 639-1 with commas between them',
    }),
    keepUndetermined: Type.Boolean({
      title: 'Keep undetermined ones',
      default: true,
      description: 'Also keep samples of which the language can not be determined: too few words, figures, code',
    }),
  }),
  label: { name: 'language', description: 'Language of the text', of: ({ text }) => detectLanguage(text) },
  check: ({ languages }) => {
    const unknown = codesOf(languages).find((code) => !known.includes(code));
    if (unknown === undefined) return undefined;
    return { field: 'languages', problem: reasons.LANGUAGE_UNKNOWN({ code: unknown, known: known.join(', ') }) };
  },
  examples: [
    {
      title: 'A wanted language',
      params: { languages: 'zh' },
      input: '数据清洗是机器学习的第一步。',
      output: '数据清洗是机器学习的第一步。',
    },
    {
      title: 'Another language',
      params: { languages: 'en, zh' },
      input: 'Die Daten werden vor dem Training bereinigt.',
      output: { drop: 'the language de is not among en, zh' },
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
      '保留 60 种语言中指定的几种，剔除其余的样本。根据去掉网址后的前 1,000 个字符判断语言（n-gram，eld）；含多种语言的文本按最多的一种计。',
    params: {
      languages: { title: '语言', help: '要保留的语言，用 ISO 639-1 代码表示，以逗号分隔' },
      keepUndetermined: { title: '保留无法判断的', help: '也保留无法判断语言的样本：词太少、数字、代码' },
    },
    examples: {
      'A wanted language': '所要的语言',
      'Another language': '其他语言',
      'Too little to tell': '太少，无法判断',
      'Too little to tell, and not wanted': '太少，无法判断，也不要',
    },
    reasons: {
      LANGUAGE_NOT_KEPT: '语言 {language} 不在 {languages} 之中',
      LANGUAGE_UNKNOWN: '只能由已知语言的代码组成；{code} 不在 {known} 之中',
      LANGUAGE_UNDETERMINED: '无法判断语言',
    },
  },
  each: ({ languages, keepUndetermined }) => {
    const wanted = new Set(codesOf(languages));
    const listed = [...wanted].join(', ');
    return (sample) => {
      const language = detectLanguage(sample.text);
      if (language === undetermined) return keepUndetermined ? sample : drop(reasons.LANGUAGE_UNDETERMINED({}));
      return wanted.has(language) ? sample : drop(reasons.LANGUAGE_NOT_KEPT({ language, languages: listed }));
    };
  },
});

import { Type } from 'typebox';
import { defineSentences } from '../kernel/sentence-catalogue.ts';
import { detectLanguage, languages as known, undetermined } from './language-detector.ts';
import { defineOperator, drop } from './operator.ts';

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

import { Type, type Static } from 'typebox';
import { keyedHash } from '../../kernel/keyed-hash.ts';
import { parameterProblems } from '../../kernel/parameter-problems.ts';
import type { Example, ParamProblem, SampleChanges, SampleOf } from '../operator.ts';
import { inUsualForm } from './character-forms.ts';
import type { Masker } from './masker.ts';

/** The parameters of all maskers. */
export const maskingParams = {
  mode: Type.Union([Type.Literal('TAG'), Type.Literal('STARS'), Type.Literal('HASH'), Type.Literal('REMOVE')], {
    title: 'Replacement',
    default: 'TAG',
    description:
      'TAG: the kind of data, in brackets. STARS: one asterisk per character. HASH: the kind and a keyed hash, the same for equal values. REMOVE: nothing',
  }),
  key: Type.String({
    title: 'Hash key',
    default: '',
    maxLength: 200,
    description:
      'For HASH (HMAC-SHA-256, the first 64 bits as letters): without the key, nobody can find the original value of a hash by trying. The key is stored and shown with the task',
  }),
};

type MaskingParams = Static<ReturnType<typeof Type.Object<typeof maskingParams>>>;

export const maskingChinese = {
  mode: {
    title: '代替的内容',
    help: 'TAG：方括号中的类别名。STARS：每个字符一个星号。HASH：类别名加带密钥的散列，相同的内容散列相同。REMOVE：不留任何东西',
  },
  key: {
    title: '散列密钥',
    help: '用于 HASH（HMAC-SHA-256，取前 64 位，写成字母）：不知道密钥的人无法试出散列代表什么。密钥随任务保存和显示',
  },
};

export function checkMasking({ mode, key }: MaskingParams): ParamProblem | undefined {
  const isMissing = mode === 'HASH' && key === '';
  return isMissing
    ? { field: 'key', problem: parameterProblems.IS_REQUIRED_WHEN.reason({ other: 'mode', value: mode }) }
    : undefined;
}

/** The replacement for a finding. `sameForm` normalizes a finding before it is hashed. */
export function replacementOf(
  tag: string,
  { mode, key }: MaskingParams,
  sameForm: (found: string) => string = (found) => found,
): (found: string) => string {
  switch (mode) {
    case 'TAG':
      return () => `[${tag}]`;
    case 'STARS':
      return (found) => found.replaceAll(/[^\r\n]/gu, '*');
    case 'HASH':
      return (found) => `[${tag}:${keyedHash(key, sameForm(inUsualForm(found)))}]`;
    case 'REMOVE':
      return () => '';
  }
}

/** A number without the separators between its digits, which do not distinguish numbers. */
export function withoutSeparators(found: string): string {
  return found
    .normalize('NFKC')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toUpperCase();
}

type Declaration = {
  id: string;
  version: string;
  name: string;
  description: string;
  /** The name of the tag: `EMAIL` is written as `[EMAIL]`. */
  tag: string;
  mask: Masker;
  sameForm?: (found: string) => string;
  examples: readonly Example[];
  chinese: { name: string; description: string; examples: { readonly [title: string]: string } };
};

/** The declaration of an operator that masks one kind of finding. */
export function masker({ tag, mask, sameForm, chinese, ...metadata }: Declaration) {
  return {
    ...metadata,
    modality: 'TEXT' as const,
    kind: 'MAPPER' as const,
    categories: ['privacy'],
    params: Type.Object(maskingParams),
    check: checkMasking,
    chinese: { ...chinese, params: maskingChinese },
    each: (params: MaskingParams) => {
      const replace = replacementOf(tag, params, sameForm);
      return (sample: SampleOf<'text'>): SampleChanges => {
        const text = mask(sample.text, replace);
        return text === sample.text ? sample : { ...sample, text };
      };
    },
  };
}

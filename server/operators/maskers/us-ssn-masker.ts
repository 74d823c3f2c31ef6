import { defineOperator } from '../operator.ts';
import { inAllForms } from './character-forms.ts';
import { createDigitRunReplacer, wordsBefore } from './digit-runs.ts';
import { masker, withoutSeparators } from './masking.ts';

const word =
  /(?:\bssn\b|\bitin\b|social[ -]security|taxpayer (?:id|identification)|社会安全|社会保障|社保)[^\n\d]{0,30}$/i;

export const maskSocialSecurityNumbers = inAllForms(
  createDigitRunReplacer({
    least: 9,
    most: 9,
    leastFirst: 3,
    find(text, start, end, run) {
      const found = text.slice(start, end);
      if (!/^(?:\d{3}-\d{2}-\d{4}|\d{3} \d{2} \d{4}|\d{9})$/.test(found) || !isNumber(withoutSeparators(found)))
        return undefined;
      const [before, after] = [text.slice(Math.max(0, start - 1), start), text.slice(end, end + 8)];
      if (/[\w.+]/.test(before) || /^(?:\w|\.\d)/.test(after)) return undefined;
      const isNamed = word.test(text.slice(Math.max(0, start - 70), start)) || word.test(wordsBefore(text, run.start));
      // Without hyphens, any nine digits look like it; with them, it may be a part of a longer number.
      const isApart = found.includes('-') && !/[/-]/.test(before) && !/^(?:\/(?!\d{1,2}\/\d{1,2}\/\d)|-\d)/.test(after);
      return isNamed || isApart ? { start, end } : undefined;
    },
  }),
);

/** Numbers issued by the Social Security Administration, or by the tax office (ITIN: 9xx with certain groups). */
function isNumber(digits: string): boolean {
  const [area, group, serial] = [Number(digits.slice(0, 3)), Number(digits.slice(3, 5)), Number(digits.slice(5))];
  if (area === 0 || area === 666 || group === 0 || serial === 0) return false;
  return area < 900 || (group >= 50 && group !== 66 && group !== 89 && group !== 93);
}

export const usSsnMasker = defineOperator(
  masker({
    id: 'us-ssn-masker',
    version: '1.2.0',
    name: 'Mask US social security numbers',
    description:
      'Masks US social security and individual taxpayer numbers that can have been issued: three, two and four digits separated by hyphens; separated by spaces or not at all only next to words such as SSN.',
    tag: 'SSN',
    mask: maskSocialSecurityNumbers,
    sameForm: withoutSeparators,
    examples: [
      { title: 'With hyphens', params: {}, input: 'born 1970, 219-45-6789.', output: 'born 1970, [SSN].' },
      {
        title: 'Next to a word',
        params: {},
        input: 'SSN: 219 45 6789, order 219 45 6789',
        output: 'SSN: [SSN], order 219 45 6789',
      },
      { title: 'In Chinese text', params: {}, input: '社会安全号码为219-45-6789。', output: '社会安全号码为[SSN]。' },
      { title: 'Stars', params: { mode: 'STARS' }, input: '219-45-6789', output: '***********' },
      {
        title: 'Never issued',
        params: {},
        input: '000-12-3456, 666-12-3456, 219-00-6789, 219-45-0000',
        output: '000-12-3456, 666-12-3456, 219-00-6789, 219-45-0000',
      },
    ],
    chinese: {
      name: '遮盖美国社会安全号码',
      description:
        '用标记代替美国的社会安全号码和个人纳税人号码：以连字符分开的三、两、四位数字，且可能已发放；以空格分开或连写的只在 SSN 等词旁才算。',
      examples: {
        'With hyphens': '带连字符',
        'Next to a word': '在相关词旁',
        'In Chinese text': '中文文本中',
        Stars: '星号',
        'Never issued': '从未发放的',
      },
    },
  }),
);

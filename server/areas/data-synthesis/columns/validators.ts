import { parser as javascript } from '@lezer/javascript';
import { parser as python } from '@lezer/python';
import type { Reason } from '../../../kernel/sentences/index.ts';
import { replyCheckOf } from '../../../models/index.ts';
import type { RecordColumn } from '../schemas/columns.ts';
import { synthesisReasons as reasons } from '../sentences.ts';
import { compilePattern } from './patterns.ts';

type Check = (value: unknown) => Reason | undefined;

/** The check of a VALIDATOR column: returns why a value does not pass, or undefined. */
export function createValidator(column: RecordColumn): Check {
  const { schema, pattern, minCharacters, maxCharacters, code } = column;
  const checks: Check[] = [];
  if (minCharacters !== undefined || maxCharacters !== undefined)
    checks.push((value) => lengthProblem([...textOf(value)].length, minCharacters, maxCharacters));
  if (pattern !== undefined) {
    const matches = compilePattern(pattern);
    checks.push((value) => (matches(textOf(value)) ? undefined : reasons.SYNTHESIS_NO_MATCH.reason({ pattern })));
  }
  if (schema !== undefined) {
    const check = replyCheckOf(schema);
    checks.push((value) => {
      const found = check(textOf(value));
      return 'problem' in found ? reasons.SYNTHESIS_VALUE_SCHEMA.reason({ why: found.problem }) : undefined;
    });
  }
  if (code !== undefined) checks.push((value) => codeProblem(code, textOf(value)));
  return (value) => checks.reduce<Reason | undefined>((problem, check) => problem ?? check(value), undefined);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function lengthProblem(characters: number, least = 0, most = Number.MAX_SAFE_INTEGER): Reason | undefined {
  if (characters < least) return reasons.SYNTHESIS_VALUE_SHORT.reason({ characters, limit: least });
  return characters > most ? reasons.SYNTHESIS_VALUE_LONG.reason({ characters, limit: most }) : undefined;
}

const parsers = {
  JAVASCRIPT: javascript.configure({ dialect: 'jsx' }),
  TYPESCRIPT: javascript.configure({ dialect: 'ts' }),
  PYTHON: python,
};

/** Checks only the syntax: code is parsed and never run. */
function codeProblem(language: NonNullable<RecordColumn['code']>, text: string): Reason | undefined {
  const code = /^\s*```[^\n]*\n([^]*?)\n?```\s*$/.exec(text)?.[1] ?? text;
  if (code.trim() === '') return reasons.SYNTHESIS_NO_CODE.reason({ language });
  if (language === 'JSON') {
    try {
      JSON.parse(code);
      return undefined;
    } catch {
      return reasons.SYNTHESIS_NOT_JSON.reason({});
    }
  }
  let at: number | undefined;
  parsers[language].parse(code).iterate({
    enter({ type, from }) {
      if (type.isError) at ??= from;
    },
  });
  return at === undefined
    ? undefined
    : reasons.SYNTHESIS_CODE.reason({ language, line: code.slice(0, at).split('\n').length });
}

import { foreign, inputProblems as problems, type Reason } from './sentences/index.ts';

const atPosition = [
  ["Expected property name or '}'", problems.JSON_PROPERTY],
  ["Expected ',' or '}' after property value", problems.JSON_AFTER_VALUE],
  ["Expected ',' or ']' after array element", problems.JSON_AFTER_ITEM],
  ["Expected ':' after property name", problems.JSON_COLON],
  ['Expected double-quoted property name', problems.JSON_QUOTED_NAME],
  ['Unterminated string', problems.JSON_UNTERMINATED],
  ['Bad control character in string literal', problems.JSON_CONTROL],
  ['Bad escaped character', problems.JSON_ESCAPE],
  ['Bad Unicode escape', problems.JSON_UNICODE_ESCAPE],
  ['Unexpected number', problems.JSON_NUMBER],
  ['No number after minus sign', problems.JSON_MINUS],
  ['Unterminated fractional number', problems.JSON_FRACTION],
  ['Exponent part is missing a number', problems.JSON_EXPONENT],
  ['Unexpected non-whitespace character', problems.JSON_BEHIND],
] as const;

/** The reason of an error of `JSON.parse`, whose words V8 defines; other errors keep their own. */
export function jsonProblemOf(error: unknown): Reason {
  const text = error instanceof Error ? error.message : String(error);
  return (error instanceof SyntaxError ? reasonOf(text) : undefined) ?? foreign(text);
}

function reasonOf(text: string): Reason | undefined {
  if (text === problems.JSON_ENDS({})) return problems.JSON_ENDS.reason({});
  // The excerpt of the text may itself say anything, so only the beginning and the end tell the parts apart.
  const [, token, near] = /^Unexpected token '(.{1,2})', (.*) is not valid JSON$/su.exec(text) ?? [];
  if (token !== undefined && near !== undefined) return problems.JSON_TOKEN.reason({ token, near });
  const [, value] = /^(".*") is not valid JSON$/s.exec(text) ?? [];
  if (value !== undefined) return problems.JSON_NO_VALUE.reason({ value });
  const found = / (?:in|after) JSON at position (\d+)(?: \(line (\d+) column (\d+)\))?$/.exec(text);
  if (found === null) return undefined;
  const problem = atPosition.find(([words]) => words === text.slice(0, found.index))?.[1];
  const [position, line, column] = found.slice(1).map(Number);
  if (problem === undefined || position === undefined) return undefined;
  const isLined = line !== undefined && column !== undefined && !Number.isNaN(line);
  return problem.reason({ position: isLined ? problems.JSON_POSITION.reason({ position, line, column }) : position });
}

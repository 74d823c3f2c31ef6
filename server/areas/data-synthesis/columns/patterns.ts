import { RE2JS } from 're2js';

/** Whether a regular expression matches a part of a text. */
export type Pattern = (text: string) => boolean;

/** Compiles a regular expression in RE2 syntax, which matches in linear time; throws an Error if it is invalid. */
export function compilePattern(pattern: string): Pattern {
  const compiled = RE2JS.compile(pattern);
  return (text) => compiled.matcher(text).find();
}

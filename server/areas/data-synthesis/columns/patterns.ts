import { RE2JS } from 're2js';

/** Whether a regular expression matches a part of a text. */
export type Pattern = (text: string) => boolean;

/** Compiles a regular expression in the syntax of RE2, whose matching takes time linear to the text; throws an Error that says what is wrong. */
export function compilePattern(pattern: string): Pattern {
  const compiled = RE2JS.compile(pattern);
  return (text) => compiled.matcher(text).find();
}

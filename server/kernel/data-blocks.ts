/**
 * A text of a document as a model gets it: it can neither end nor open the block it stands in, nor pass for a part of the
 * conversation. Tags of that block and of others, also with spaces or invisible characters in them, and control tokens of
 * common chat templates lose their first bracket to one that looks like it. The stored text stays as it is.
 */
export function asData(text: string, name: 'source' | 'text'): string {
  return text.replaceAll(tags[name], '‹').replaceAll(controlTags, '‹').replaceAll(controlWords, '［');
}

/** The same for a block whose text is cited: numbers in brackets, such as [1], do not pass for citations. */
export function asCitedData(text: string): string {
  return asData(text, 'source').replaceAll(/\[(?=\d{1,3}\])/g, '［');
}

const gap = String.raw`[\s\p{Cf}]{0,20}`;
const tagOf = (names: readonly string[]): RegExp => {
  const words = names.map((name) => [...name].join(String.raw`\p{Cf}{0,5}`)).join('|');
  return new RegExp(`[<＜](?=${gap}[/／\\\\]{0,3}${gap}(?:${words}))`, 'giu');
};
const others = ['document', 'chunk'];
/** The text and the fields of a sample stand side by side, so neither ends the other. */
const tags = { source: tagOf(['source', ...others]), text: tagOf(['text', 'field', ...others]) };
/** `<|im_start|>`, `<｜User｜>`, `<s>`, `<start_of_turn>`, `<<SYS>>`. */
const controlTags = /[<＜](?=[|｜][^\s<>|｜]{1,64}[|｜][>＞]|\/?(?:s|bos|eos|start_of_turn|end_of_turn)>|<\/?SYS>>)/giu;
/** `[INST]` and its like. */
const controlWords = /\[(?=\/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\])/gi;

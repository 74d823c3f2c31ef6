/**
 * Escapes document text for a prompt, so that it can neither close nor open the block that contains it, nor pass for part of
 * the conversation: in tags of this and other blocks, also with spaces or invisible characters in them, and in control tokens
 * of common chat templates, the first bracket is replaced by a look-alike. The stored text is not changed.
 */
export function asData(text: string, name: 'source' | 'text'): string {
  return text.replaceAll(tags[name], '‹').replaceAll(controlTags, '‹').replaceAll(controlWords, '［');
}

/** The same for a block whose text is cited: also prevents bracketed numbers, such as [1], from passing for citations. */
export function asCitedData(text: string): string {
  return asData(text, 'source').replaceAll(/\[(?=\d{1,3}\])/g, '［');
}

const gap = String.raw`[\s\p{Cf}]{0,20}`;
const tagOf = (names: readonly string[]): RegExp => {
  const words = names.map((name) => [...name].join(String.raw`\p{Cf}{0,5}`)).join('|');
  return new RegExp(`[<＜](?=${gap}[/／\\\\]{0,3}${gap}(?:${words}))`, 'giu');
};
const others = ['document', 'chunk'];
/** A sample's text and fields are adjacent blocks, so neither may close the other. */
const tags = { source: tagOf(['source', ...others]), text: tagOf(['text', 'field', ...others]) };
/** `<|im_start|>`, `<｜User｜>`, `<s>`, `<start_of_turn>`, `<<SYS>>`. */
const controlTags = /[<＜](?=[|｜][^\s<>|｜]{1,64}[|｜][>＞]|\/?(?:s|bos|eos|start_of_turn|end_of_turn)>|<\/?SYS>>)/giu;
/** `[INST]` and similar. */
const controlWords = /\[(?=\/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\])/gi;

/** The answer of a model, and the thoughts that a reasoning model writes before it. */
export type Reply = { text: string; thinking: string | null };

const pairs = [
  ['<think>', '</think>'],
  ['<thinking>', '</thinking>'],
  ['[THINK]', '[/THINK]'],
] as const;

/**
 * Splits a reply into thoughts and answer. The thoughts come first, between tags; some chat templates put the opening
 * tag into the prompt, so that the reply has only the closing one. Thoughts that were cut off leave no answer.
 */
export function splitThinking(reply: string): Reply {
  const thoughts: string[] = [];
  let rest = reply;
  for (;;) {
    const start = rest.trimStart();
    const pair = pairs.find(([open]) => start.startsWith(open));
    if (pair === undefined) break;
    const [open, close] = pair;
    const end = start.indexOf(close);
    thoughts.push(start.slice(open.length, end === -1 ? undefined : end));
    rest = end === -1 ? '' : start.slice(end + close.length);
  }
  const lone = thoughts.length > 0 ? -1 : rest.indexOf('</think>');
  if (lone !== -1 && !rest.slice(0, lone).includes('<think>')) {
    thoughts.push(rest.slice(0, lone));
    rest = rest.slice(lone + '</think>'.length);
  }
  if (thoughts.length === 0) return { text: reply, thinking: null };
  return { text: rest.trimStart(), thinking: joinThoughts(thoughts) };
}

/** Thoughts from several places as one text; null if there are none. */
export function joinThoughts(thoughts: readonly (string | null | undefined)[]): string | null {
  const said = thoughts.flatMap((thought) => {
    const words = thought?.trim() ?? '';
    return words === '' ? [] : [words];
  });
  return said.length === 0 ? null : said.join('\n\n');
}

/** Passes on a growing reply from the end of its tagged thoughts. */
export function withoutThinking(pass: (part: string) => void): (part: string) => void {
  let [held, isAnswer] = ['', false];
  return (part) => {
    if (isAnswer) return pass(part);
    held += part;
    const { text } = splitThinking(held);
    const start = text.trimStart();
    // It may still become a tag, or it is the blank after thoughts.
    if (start === '' || pairs.some(([open]) => open.startsWith(start))) return;
    isAnswer = true;
    pass(text);
    held = '';
  };
}

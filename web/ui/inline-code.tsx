import { Code } from '@mantine/core';

/** A sentence of the service with `names` between backticks rendered as code, as in Markdown. */
export function InlineCode({ text }: { text: string }) {
  return text.split(/`([^`]+)`/).map((part, index) =>
    // Every second part was between backticks; the order never changes.
    index % 2 === 1 ? <Code key={index}>{part}</Code> : part,
  );
}

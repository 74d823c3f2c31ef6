import { Code } from '@mantine/core';

/** A sentence of the service in which `names` stand between backticks, as people write them in Markdown. */
export function InlineCode({ text }: { text: string }) {
  return text.split(/`([^`]+)`/).map((part, index) =>
    // Every second part stood between backticks; the order never changes.
    index % 2 === 1 ? <Code key={index}>{part}</Code> : part,
  );
}

/** The sentences of a text with what separates them, by their closing marks. */
export function sentencesOf(text: string): string[] {
  return (
    text.match(/[^.!?。！？]*(?:[.!?]+(?:\s+|$)|[。！？]+|$)|[^.!?]*[.!?]+/gu)?.filter((part) => part !== '') ?? []
  );
}

/** An event of a stream of server-sent events. */
export type StreamEvent = { name: string; data: string };

/** The server-sent events in the response to a POST, which EventSource does not support. */
export async function* readEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  let rest = '';
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      // A line break of two characters may be split between two parts.
      const isCut = rest.endsWith('\r');
      const blocks = (isCut ? rest.slice(0, -1) : rest).replaceAll('\r\n', '\n').split('\n\n');
      rest = (blocks.pop() ?? '') + (isCut ? '\r' : '');
      for (const block of blocks) {
        const event = parseEvent(block);
        if (event !== undefined) yield event;
      }
    }
  } finally {
    await reader.cancel();
  }
}

function parseEvent(block: string): StreamEvent | undefined {
  let name = 'message';
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
    if (field === 'event') name = value;
    else if (field === 'data') data.push(value);
  }
  return data.length === 0 ? undefined : { name, data: data.join('\n') };
}

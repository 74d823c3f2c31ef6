/** One event of a stream as received. */
export type ReceivedEvent = { id: string; name: string; data: unknown };

export type EventSourceAnswer = {
  status: number;
  headers: Headers;
  /** The next event; undefined at the end of the stream. Throws when none arrives within half a minute. */
  next(): Promise<ReceivedEvent | undefined>;
  /** All events until the end of the stream. */
  rest(): Promise<ReceivedEvent[]>;
  /** Comment lines so far. */
  readonly comments: number;
  close(): void;
};

const patienceMs = 30_000;

/** Opens a stream of server-sent events like a browser; with a body, by POST. */
export async function openEventSource(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  body?: object,
): Promise<EventSourceAnswer> {
  const abort = new AbortController();
  const answer = await fetch(url, {
    headers: { accept: 'text/event-stream', 'content-type': 'application/json', ...headers },
    signal: abort.signal,
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  const waiting: ReceivedEvent[] = [];
  let text = '';
  let comments = 0;

  /** Parses one block of the stream, up to an empty line. */
  function take(block: string): void {
    const fields = new Map<string, string>();
    for (const line of block.split('\n')) {
      const colon = line.indexOf(':');
      if (colon === 0) comments += 1;
      else fields.set(line.slice(0, colon), line.slice(colon + 1).replace(/^ /, ''));
    }
    const data = fields.get('data');
    if (data === undefined) return;
    waiting.push({ id: fields.get('id') ?? '', name: fields.get('event') ?? '', data: JSON.parse(data) });
  }

  async function next(): Promise<ReceivedEvent | undefined> {
    for (;;) {
      const event = waiting.shift();
      if (event !== undefined) return event;
      const read = await withPatience(reader?.read());
      if (read === undefined || read.done) return undefined;
      text += read.value;
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) take(block);
    }
  }

  return {
    status: answer.status,
    headers: answer.headers,
    next,
    async rest() {
      const events: ReceivedEvent[] = [];
      for (let event = await next(); event !== undefined; event = await next()) events.push(event);
      return events;
    },
    get comments() {
      return comments;
    },
    close: () => abort.abort(),
  };
}

async function withPatience<T>(work: Promise<T> | undefined): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`Nothing came within ${patienceMs} ms`)), patienceMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

import { invalid } from '../kernel/errors.ts';
import { parameterProblems } from '../kernel/parameter-problems.ts';
import { findDelimiter, partialDelimiterLength } from './delimiter-search.ts';
import { createFormFields } from './form-fields.ts';
import { parsePartHeader, type PartHeader } from './multipart-headers.ts';

/** Receives the bytes of one file part; if it returns a promise, the parser waits for it before the next piece. */
export type PartSink = {
  /** Whether `write` no longer needs the bytes once it is done. If so, no other reader may use them. */
  readonly copies?: boolean;
  write(bytes: Buffer): Promise<void> | undefined;
  end(): Promise<void> | undefined;
};

/** Receives the parts of a form in order. */
export type FormHandler = {
  field(name: string, value: string): void;
  /** `expectedBytes`: size of the part if it is the last one, when the length of the body is known. */
  file(part: PartHeader, expectedBytes: number | undefined): PartSink | Promise<PartSink>;
};

export type MultipartLimits = {
  /** Number of parts. */
  parts: number;
  /** Bytes of the headers of one part. */
  headerBytes: number;
  /** Total bytes of all fields that are not files. */
  fieldBytes: number;
};

/** A parser of multipart/form-data whose input is pushed in as it arrives, in pieces of any size. */
export type MultipartParser = {
  /**
   * If it returns a promise, wait for it before the next piece. Throws or rejects with INVALID_PARAMETER or an error of
   * a sink.
   */
  push(chunk: Buffer): Promise<void> | undefined;
  /** Whether the memory of the last piece can be reused, once that piece is processed. */
  readonly isSpent: boolean;
  /** Ends the body; throws if its closing boundary is missing. */
  end(): void;
};

/** Maximum number of bytes before the first and after the last boundary. */
const maxOverheadBytes = 65_536;

/** `--` and the line break after the last boundary. */
const closingBytes = 4;

const carriageReturn = 0x0d;
const lineFeed = 0x0a;
const hyphen = 0x2d;
const empty = Buffer.alloc(0);
const headerEnd = Buffer.from('\r\n\r\n');

type State = 'preamble' | 'after-boundary' | 'header' | 'field' | 'file' | 'epilogue';

/** RFC 7578 and RFC 2046, 5.1. Pieces passed to a sink are slices of the input, never copies. */
export function createMultipartParser(
  boundary: string,
  handler: FormHandler,
  limits: MultipartLimits,
  bodyBytes?: number,
): MultipartParser {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const firstBoundary = delimiter.subarray(2);
  // The first boundary needs no line break before it; this one takes its place.
  let data: Buffer = Buffer.from('\r\n');
  let position = 0;
  let pushedBytes = 0;
  let lastBytes = 0;
  let copiedBytes = 0;
  let state: State = 'preamble';
  let overheadBytes = 0;
  let partCount = 0;
  const fields = createFormFields(handler, limits.fieldBytes);
  let sink: PartSink | undefined;

  /** Processes the available bytes; undefined when more are needed. */
  function run(): Promise<void> | undefined {
    for (;;) {
      const outcome = step();
      if (outcome === undefined) {
        data = position === data.length ? empty : data.subarray(position);
        position = 0;
        return undefined;
      }
      if (outcome !== true) return outcome.then(run);
    }
  }

  /** true: continue; undefined: more bytes are needed; a promise: continue after it. */
  function step(): true | undefined | Promise<void> {
    switch (state) {
      case 'preamble':
      case 'field':
      case 'file':
        return takeContent();
      case 'after-boundary':
        return takeBoundaryEnd();
      case 'header':
        return takeHeader();
      case 'epilogue':
        countOverhead(data.length - position);
        position = data.length;
        return undefined;
      default:
        return state satisfies never;
    }
  }

  function takeContent(): true | undefined | Promise<void> {
    const found = findDelimiter(data, delimiter, position);
    const end = found === -1 ? data.length - partialDelimiterLength(data, delimiter, position) : found;
    const wait = end > position ? give(data.subarray(position, end)) : undefined;
    if (found === -1) {
      position = end;
      return wait;
    }
    position = found + delimiter.length;
    if (wait === undefined) return endContent() ?? true;
    return wait.then(endContent);
  }

  function give(bytes: Buffer): Promise<void> | undefined {
    if (sink !== undefined) {
      if (sink.copies === true) copiedBytes += bytes.length;
      return sink.write(bytes);
    }
    if (state === 'preamble') {
      countOverhead(bytes.length);
      return undefined;
    }
    fields.take(bytes);
    return undefined;
  }

  function endContent(): Promise<void> | undefined {
    const ended = state;
    state = 'after-boundary';
    if (ended === 'field') fields.end();
    if (ended !== 'file') return undefined;
    const wait = sink?.end();
    sink = undefined;
    return wait;
  }

  /** After a boundary: `--` closes the body, white space and a line break lead to the next part. */
  function takeBoundaryEnd(): true | undefined {
    if (data.length - position < 2) return undefined;
    if (data[position] === hyphen && data[position + 1] === hyphen) {
      position += 2;
      state = 'epilogue';
      return true;
    }
    let at = position;
    while (data[at] === 0x20 || data[at] === 0x09) at++;
    if (at - position > limits.headerBytes) throw malformed();
    if (data.length - at < 2) return undefined;
    if (data[at] !== carriageReturn || data[at + 1] !== lineFeed) throw malformed();
    // The line break is kept: a part without headers begins with an empty line.
    position = at;
    state = 'header';
    return true;
  }

  function takeHeader(): true | undefined | Promise<void> {
    const end = data.indexOf(headerEnd, position);
    if ((end === -1 ? data.length : end) - position > limits.headerBytes)
      throw invalid('body', parameterProblems.HAS_LONG_HEADERS.reason({ limit: limits.headerBytes }));
    if (end === -1) return undefined;
    if (++partCount > limits.parts)
      throw invalid('body', parameterProblems.HAS_MANY_PARTS.reason({ limit: limits.parts }));
    const header = parsePartHeader(data.subarray(position + 2, end));
    position = end + headerEnd.length;
    if (header.fileName === undefined) {
      fields.begin(header.name);
      state = 'field';
      return true;
    }
    state = 'file';
    const opened = handler.file(header, expectedBytes());
    if (!(opened instanceof Promise)) {
      sink = opened;
      return true;
    }
    return opened.then((value) => {
      sink = value;
    });
  }

  function expectedBytes(): number | undefined {
    if (bodyBytes === undefined) return undefined;
    const takenBytes = pushedBytes - (data.length - position);
    return Math.max(0, bodyBytes - takenBytes - delimiter.length - closingBytes);
  }

  function countOverhead(bytes: number): void {
    overheadBytes += bytes;
    if (overheadBytes > maxOverheadBytes) throw malformed();
  }

  return {
    push(chunk) {
      const isFirst = pushedBytes === 0;
      pushedBytes += chunk.length;
      lastBytes = chunk.length;
      copiedBytes = 0;
      if (
        isFirst &&
        chunk.length >= delimiter.length &&
        chunk.compare(firstBoundary, 0, firstBoundary.length, 0, firstBoundary.length) === 0
      ) {
        // The usual beginning: nothing to join or search.
        data = chunk;
        position = firstBoundary.length;
        state = 'after-boundary';
      } else {
        data = data.length === 0 ? chunk : Buffer.concat([data, chunk]);
      }
      return run();
    },
    get isSpent() {
      return copiedBytes === lastBytes;
    },
    end() {
      if (state !== 'epilogue') throw invalid('body', parameterProblems.BREAKS_OFF.reason({}));
    },
  };
}

function malformed(): Error {
  return invalid('body', parameterProblems.IS_MALFORMED_FORM.reason({}));
}

import { pino, type LevelWithSilent, type Logger } from 'pino';

/** Lines are buffered for this long, or up to this many bytes: one write per line would cost more than the line. */
const maxWaitMs = 50;
const maxWaitingCharacters = 16_384;

/**
 * A logger that writes JSON to standard error; standard output is for people. Lines are written within
 * 50 ms, in their order, and before the process exits.
 */
export function createLogger(level: LevelWithSilent): Logger {
  const destination = pino.destination({ dest: 2, sync: false });
  let lines = '';
  let timer: NodeJS.Timeout | undefined;

  function writeLines(): void {
    clearTimeout(timer);
    timer = undefined;
    const text = lines;
    lines = '';
    if (text !== '') destination.write(text);
  }

  const stream = {
    write(line: string): void {
      lines += line;
      if (lines.length >= maxWaitingCharacters) writeLines();
      else timer ??= setTimeout(writeLines, maxWaitMs).unref();
    },
    flush(done: (error?: Error) => void): void {
      writeLines();
      destination.flush(done);
    },
  };
  process.once('exit', () => {
    writeLines();
    destination.flushSync();
  });
  return pino({ level, base: null, timestamp: createLogTime() }, stream);
}

/** Busy servers write many lines per millisecond; formatting the time once per millisecond saves a quarter of a line's cost. */
function createLogTime(): () => string {
  let writtenMs = 0;
  let text = '';
  return () => {
    const now = Date.now();
    if (now !== writtenMs) {
      writtenMs = now;
      text = `,"time":"${new Date(now).toISOString()}"`;
    }
    return text;
  };
}

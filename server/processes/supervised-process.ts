import { fork, type ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';

export type SupervisedProcessOptions = {
  /** The module that the process runs. It answers each message with one message. */
  module: URL;
  /** Its only argument, as JSON. */
  setup: unknown;
  /** Command-line options of Node. */
  execArgv?: readonly string[];
  /** Its whole environment: it inherits nothing from this process. */
  env?: Readonly<Record<string, string>>;
  /** Whether the system kills it before the service when memory runs out. Linux only. */
  isFirstToGo?: boolean;
  /** Limits enforced by the system: private writable memory, and the size of each file. Not supported on Windows. */
  systemLimits?: { memoryBytes: number; fileBytes: number };
};

/**
 * A process for work that may take too long, need too much memory or crash. It handles one request at a time and starts
 * with the first one.
 */
export type SupervisedProcess<Request extends object, Answer> = {
  /**
   * Sends a request and resolves with the answer. Throws ProcessEnded if the process ends first, ProcessTimeout after
   * `timeoutMs` of wall time (Infinity: never), and the signal's reason on abort; the process is then killed, and the next request
   * starts a new one. `onNote` receives what the process tells meanwhile.
   */
  ask(request: Request, limits: AskLimits): Promise<Answer>;
  /** Sends a message that has no answer; does nothing if the process is gone. */
  tell(message: object): void;
  /** Ends the process, if there is one; a running request throws ProcessEnded. */
  end(): void;
  /** Whether the next request can use the running process. */
  isRunning(): boolean;
};

export type AskLimits = { signal: AbortSignal | undefined; timeoutMs: number; onNote?: (note: unknown) => void };

/** What a process tells before its answer. */
export type ProcessNote = { note: unknown };

/** A process ended before it answered. */
export class ProcessEnded extends Error {
  override readonly name = 'ProcessEnded';
  readonly exitCode: number | null;
  readonly signalName: NodeJS.Signals | null;
  /** The last part of its standard error. */
  readonly errorText: string;

  constructor(exitCode: number | null, signalName: NodeJS.Signals | null, errorText: string) {
    super(`A process ended with ${signalName ?? `code ${exitCode}`}`);
    this.exitCode = exitCode;
    this.signalName = signalName;
    this.errorText = errorText;
  }
}

/** A process did not answer in time. */
export class ProcessTimeout extends Error {
  override readonly name = 'ProcessTimeout';
}

/** A new process was not ready in time. */
export class ProcessNotReady extends Error {
  override readonly name = 'ProcessNotReady';
}

const maxErrorCharacters = 16_384;

/** A shell sets the limits, because Node can't, and then executes the process: RLIMIT_DATA in KiB, RLIMIT_FSIZE in 512-byte blocks. */
function startOf({ execArgv = [], systemLimits }: SupervisedProcessOptions): { execPath?: string; execArgv: string[] } {
  if (systemLimits === undefined || process.platform === 'win32') return { execArgv: [...execArgv] };
  const kibibytes = Math.ceil(systemLimits.memoryBytes / 1024);
  const blocks = Math.ceil(systemLimits.fileBytes / 512);
  const command = `ulimit -c 0; ulimit -d ${kibibytes}; ulimit -f ${blocks}; exec "$0" "$@"`;
  return { execPath: '/bin/sh', execArgv: ['-c', command, process.execPath, ...execArgv] };
}

/** Whether the other end of the pipe is closed, as when a process is killed that has not been reaped yet. */
function isClosedPipe(error: NodeJS.ErrnoException): boolean {
  return error.code === 'EPIPE' || error.code === 'ECONNRESET' || error.code === 'ERR_IPC_CHANNEL_CLOSED';
}

function isNote(message: unknown): message is ProcessNote {
  return typeof message === 'object' && message !== null && 'note' in message;
}

export function createSupervisedProcess<Request extends object, Answer>(
  options: SupervisedProcessOptions,
): SupervisedProcess<Request, Answer> {
  let current: { child: ChildProcess; errorText: () => string } | undefined;

  function start(): { child: ChildProcess; errorText: () => string } {
    const child = fork(options.module, [JSON.stringify(options.setup)], {
      ...startOf(options),
      env: { ...options.env },
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    let text = '';
    child.stderr?.setEncoding('utf8').on('data', (piece: string) => {
      text = (text + piece).slice(-maxErrorCharacters);
    });
    if (options.isFirstToGo === true && child.pid !== undefined)
      writeFile(`/proc/${child.pid}/oom_score_adj`, '900').catch(() => undefined);
    const started = { child, errorText: () => text };
    // A pending request handles the error itself; between requests, 'exit' is enough.
    child.on('error', () => undefined);
    child.once('exit', () => {
      if (current === started) current = undefined;
    });
    current = started;
    return started;
  }

  function end(): void {
    const child = current?.child;
    current = undefined;
    child?.kill('SIGKILL');
  }

  return {
    end,
    isRunning: () => current !== undefined,
    tell(message) {
      // Of a process that is gone, nobody waits for anything: a pending request hears of its end.
      current?.child.send(message, () => undefined);
    },
    async ask(request, { signal, timeoutMs, onNote }) {
      signal?.throwIfAborted();
      const { child, errorText } = current ?? start();
      const { promise, resolve, reject } = Promise.withResolvers<Answer>();
      const onExit = (code: number | null, name: NodeJS.Signals | null): void =>
        reject(new ProcessEnded(code, name, errorText()));
      const onAbort = (): void => reject(signal?.reason);
      const onMessage = (message: unknown): void => {
        if (isNote(message)) onNote?.(message.note);
        else resolve(message as Answer);
      };
      const onLate = (): void => reject(new ProcessTimeout(`No answer within ${timeoutMs} ms`));
      const late = timeoutMs === Infinity ? undefined : setTimeout(onLate, timeoutMs);
      // At 'exit', standard error may hold unread data, such as the cause; at 'close' it has been read completely.
      child.on('message', onMessage).once('close', onExit).once('error', reject);
      signal?.addEventListener('abort', onAbort);
      try {
        child.send(request, (error) => {
          // If the process is gone or going, 'close' reports it with the cause.
          if (error !== null && child.exitCode === null && child.signalCode === null && !isClosedPipe(error))
            reject(error);
        });
        return await promise;
      } catch (error) {
        end();
        throw error;
      } finally {
        clearTimeout(late);
        signal?.removeEventListener('abort', onAbort);
        child.off('message', onMessage).off('close', onExit).off('error', reject);
      }
    },
  };
}

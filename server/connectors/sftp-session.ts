import { createHash, timingSafeEqual } from 'node:crypto';
import type { Client as SshClient, SFTPWrapper, utils } from 'ssh2';
import type { Reason } from '../kernel/sentences/index.ts';
import { OutgoingError, outgoingSentences } from '../outgoing/index.ts';
import { SourceError, type Effects } from './connector.ts';
import { sourceSentences } from './sentences.ts';

export type SftpConfig = {
  host: string;
  port: number;
  user: string;
  password?: string | null;
  privateKey?: string | null;
  passphrase?: string | null;
  hostKey?: string;
};

/** One SSH connection with its SFTP channel. */
export type SftpConnection = {
  /** Sends one request. Throws OutgoingError `cut-off` if the connection is lost, and the errors of ssh2. */
  ask<T>(question: (sftp: SFTPWrapper, done: (error: Error | null | undefined, answer: T) => void) => void): Promise<T>;
  readonly isLost: boolean;
  close(): void;
};

/** The connection that all files of a source share. */
export type SftpSession = {
  /** Runs work with the connection, which is reopened if it was lost. Throws SourceError and OutgoingError. */
  use<T>(work: (connection: SftpConnection) => Promise<T>): Promise<T>;
  /** Keeps the connection open until the returned function is called. */
  hold(): () => void;
};

const handshakeMs = 20_000;
/** Time limit for a response; after it the connection counts as lost. */
const answerMs = 120_000;
const aliveMs = 15_000;
const firstPauseMs = 500;
/** The connection stays open for a moment, as the next file may already be waiting. */
const lingerMs = 500;

const repeatable = new Set<OutgoingError['problem']>(['unreachable', 'timeout', 'cut-off', 'unresolvable']);

/** A session that connects on first use, with several attempts, and closes when it is no longer used. */
export function openSftpSession(config: SftpConfig, effects: Effects, attempts = 5): SftpSession {
  let opening: Promise<SftpConnection> | undefined;
  let users = 0;
  let lingering: NodeJS.Timeout | undefined;

  async function connected(): Promise<SftpConnection> {
    const known = await opening?.catch(() => undefined);
    if (known !== undefined && !known.isLost) return known;
    opening = connectPatiently(config, effects, attempts);
    opening.catch(() => (opening = undefined));
    return opening;
  }

  // Several files may find the connection lost: only one of them reopens it.
  let queue: Promise<unknown> = Promise.resolve();
  function current(): Promise<SftpConnection> {
    const turn = queue.then(connected);
    queue = turn.catch(() => {});
    return turn;
  }

  function hold(): () => void {
    users += 1;
    clearTimeout(lingering);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      users -= 1;
      if (users > 0) return;
      lingering = setTimeout(() => {
        if (users === 0) void opening?.then((connection) => connection.close()).catch(() => {});
      }, lingerMs).unref();
    };
  }

  return {
    hold,
    async use(work) {
      const release = hold();
      try {
        return await work(await current());
      } finally {
        release();
      }
    },
  };
}

async function connectPatiently(config: SftpConfig, effects: Effects, attempts: number): Promise<SftpConnection> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await connectSftp(config, effects);
    } catch (error) {
      effects.signal.throwIfAborted();
      if (!(error instanceof OutgoingError) || !repeatable.has(error.problem) || attempt >= attempts) throw error;
      await effects.pause(firstPauseMs * 2 ** (attempt - 1));
    }
  }
}

/** Connects, checks the host key before anything secret is sent, and signs in. Throws SourceError and OutgoingError. */
export async function connectSftp(config: SftpConfig, effects: Effects): Promise<SftpConnection> {
  const { host, port, user: username } = config;
  const { outgoing, signal } = effects;
  // Loaded on first use: a service without such a source starts without it.
  const { default: ssh2 } = await import('ssh2');
  const credentials = credentialsOf(config, ssh2.utils.parseKey);
  const socket = await outgoing.connect({ host, port, signal });
  const client: SshClient = new ssh2.Client();
  const lost = new AbortController();
  let refusal: SourceError | undefined;
  const close = (): void => {
    client.destroy();
    socket.destroy();
  };
  const fail = (error: unknown): void => {
    if (!lost.signal.aborted) lost.abort(refusal ?? explain(error, config, signal));
    close();
  };
  const stop = (): void => fail(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  client.on('error', fail);
  client.on('close', () => {
    signal.removeEventListener('abort', stop);
    fail(new Error('Connection lost'));
  });
  client.on('keyboard-interactive', (_name, _words, _language, prompts, finish) =>
    // Some servers request the password in this way; prompts that echo get an empty answer.
    finish(prompts.map(({ echo }) => (echo === true ? '' : (config.password ?? '')))),
  );

  function answered<T>(question: (done: (error: Error | null | undefined, answer: T) => void) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      const gone = (): void => settle(() => reject(lost.signal.reason as Error));
      const timer = setTimeout(() => fail(new SilentError()), answerMs).unref();
      const settle = (end: () => void): void => {
        clearTimeout(timer);
        lost.signal.removeEventListener('abort', gone);
        end();
      };
      if (lost.signal.aborted) return gone();
      lost.signal.addEventListener('abort', gone, { once: true });
      try {
        question((error, answer) => {
          if (error === undefined || error === null) settle(() => resolve(answer));
          // Only responses of the server have a numeric code; any other error means that the connection ended.
          else if (typeof (error as { code?: unknown }).code !== 'number') fail(error);
          else settle(() => reject(error));
        });
      } catch (error) {
        fail(error);
      }
    });
  }

  try {
    if (signal.aborted) stop();
    const sftp = await answered<SFTPWrapper>((done) => {
      client.on('ready', () => client.sftp(done));
      client.connect({
        sock: socket,
        username,
        ...credentials,
        readyTimeout: handshakeMs,
        keepaliveInterval: aliveMs,
        keepaliveCountMax: 4,
        hostVerifier: (key: Buffer) => {
          refusal = findHostKeyProblem(key, config);
          return refusal === undefined;
        },
      });
    });
    sftp.on('error', fail);
    return {
      ask: (question) => answered((done) => question(sftp, done)),
      get isLost() {
        return lost.signal.aborted;
      },
      close,
    };
  } catch (error) {
    fail(error);
    throw explain(lost.signal.reason, config, signal);
  }
}

class SilentError extends Error {}

function credentialsOf({ password, privateKey, passphrase }: SftpConfig, parseKey: typeof utils.parseKey) {
  const isGiven = (value: string | null | undefined): value is string => typeof value === 'string' && value !== '';
  if (isGiven(privateKey)) {
    // The final line feed is often lost in forms.
    const key = parseKey(`${privateKey.trim()}\n`, isGiven(passphrase) ? passphrase : undefined);
    if (key instanceof Error) throw new SourceError(keyProblem(key.message, isGiven(passphrase)), { cause: key });
  }
  return {
    ...(isGiven(password) ? { password, tryKeyboard: true } : {}),
    ...(isGiven(privateKey) ? { privateKey: `${privateKey.trim()}\n` } : {}),
    ...(isGiven(privateKey) && isGiven(passphrase) ? { passphrase } : {}),
  };
}

/** The messages avoid words of the PEM frame, such as PRIVATE KEY, which would count as part of the secret. */
function keyProblem(message: string, hasPassphrase: boolean): Reason {
  if (/no passphrase given/i.test(message)) return sourceSentences.KEY_ENCRYPTED.reason({});
  if (hasPassphrase && /integrity check|bad passphrase|decrypt/i.test(message))
    return sourceSentences.KEY_NOT_OPENED.reason({});
  return sourceSentences.KEY_UNREADABLE.reason({});
}

/** `SHA256:…`, as ssh and ssh-keygen show it. */
export function fingerprintOf(key: Uint8Array): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}

function findHostKeyProblem(key: Buffer, { host, port, hostKey }: SftpConfig): SourceError | undefined {
  const shown = fingerprintOf(key);
  const kind = key.toString('latin1', 4, 4 + Math.min(key.readUInt32BE(0), 64));
  if (hostKey === undefined || hostKey === '')
    return new SourceError(sourceSentences.HOST_KEY_UNKNOWN.reason({ server: `${host}:${port}`, key: shown, kind }));
  const expected = hostKey.replace(/=+$/, '');
  if (expected.length === shown.length && timingSafeEqual(Buffer.from(expected), Buffer.from(shown))) return undefined;
  return new SourceError(
    sourceSentences.HOST_KEY_OTHER.reason({ server: `${host}:${port}`, key: shown, kind, confirmed: expected }),
  );
}

function explain(error: unknown, { host, port, user }: SftpConfig, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (error instanceof SourceError || error instanceof OutgoingError) return error;
  const where = `${host}:${port}`;
  const { level, message } = error as { level?: unknown; message: string };
  const lost = (problem: OutgoingError['problem'], reason: Reason): OutgoingError =>
    new OutgoingError(problem, reason, { sent: true, cause: error });
  if (error instanceof SilentError)
    return lost('timeout', sourceSentences.SSH_UNANSWERED.reason({ server: where, seconds: answerMs / 1000 }));
  if (level === 'client-authentication')
    return new SourceError(sourceSentences.SSH_REFUSES.reason({ server: where, user }), { cause: error });
  if (level === 'client-timeout') return lost('timeout', sourceSentences.SSH_SILENT.reason({ server: where }));
  if (level === 'handshake' || level === 'protocol' || level === 'sftp-protocol')
    return /lost before|Host denied/.test(message)
      ? lost('cut-off', outgoingSentences.ANSWER_CUT_OFF.reason({ host: where }))
      : new SourceError(sourceSentences.SSH_NOT_SPOKEN.reason({ server: where, said: message }), { cause: error });
  if (/subsystem/i.test(message))
    return new SourceError(sourceSentences.SSH_NO_SFTP.reason({ server: where, user }), { cause: error });
  return lost('cut-off', outgoingSentences.ANSWER_CUT_OFF.reason({ host: where }));
}

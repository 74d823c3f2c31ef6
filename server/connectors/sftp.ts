import type { FileEntryWithStats, SFTPWrapper, Stats } from 'ssh2';
import { Type } from 'typebox';
import type { Reason } from '../kernel/sentences/index.ts';
import { OutgoingError } from '../outgoing/index.ts';
import { defineConnector, SourceError, type Effects, type FileItem, type LeftOut } from './connector.ts';
import { secret, secretLines } from './http-fields.ts';
import { filterFields, findExclusion } from './path-filter.ts';
import { safePath } from './safe-path.ts';
import { sourceSentences } from './sentences.ts';
import { openSftpSession, type SftpConfig, type SftpConnection, type SftpSession } from './sftp-session.ts';

const sampleFiles = 5;
/** Maximum number of entries that a check looks at. */
const sampleLooks = 10_000;
const pieceBytes = 128 * 1024;
/** Pieces of one file that are requested at once. */
const piecesAhead = 16;
const maxResumptions = 20;
const firstPauseMs = 500;
const maxEntries = 1_000_000;
const maxDepth = 100;
/** A file modified this recently may change again within the same timestamp: it is compared by its content. */
const recentMs = 3000;

type Config = SftpConfig & { path: string; include?: string[]; exclude?: string[] };

export const sftp = defineConnector({
  type: 'sftp',
  name: 'SFTP',
  description:
    'Fetches all files below a folder on an SSH server. Later runs fetch only files whose size or modification time has changed; interrupted transfers resume where they stopped. The host key must be confirmed; symbolic links are not followed.',
  incremental: true,
  listsAll: true,
  parallel: 8,
  config: Type.Object({
    host: Type.String({ minLength: 1, maxLength: 255 }),
    port: Type.Integer({ default: 22, minimum: 1, maximum: 65_535 }),
    user: Type.String({ minLength: 1, maxLength: 200 }),
    password: secret('Password of the user'),
    privateKey: secretLines('Private key of the user, in the format of OpenSSH or PEM', 20_000),
    passphrase: secret('Passphrase of the private key'),
    hostKey: Type.Optional(
      Type.String({
        pattern: '^(?:SHA256:[A-Za-z0-9+/]{43}=?)?$',
        description:
          'Fingerprint of the host key of the server, such as SHA256:… from ssh-keygen -l. If it is empty, a connection test shows the fingerprint and sends no credentials',
      }),
    ),
    path: Type.String({
      default: '.',
      minLength: 1,
      maxLength: 4096,
      description: 'Folder to read; a relative path starts at the home folder of the user',
    }),
    ...filterFields,
  }),

  destinationsOf: ({ host, port, hostKey }) => [`${host}:${port} ${hostKey ?? ''}`],

  async check(config, effects) {
    const ended = new AbortController();
    const signal = AbortSignal.any([effects.signal, ended.signal]);
    const session = openSftpSession(config, { ...effects, signal }, 1);
    try {
      const root = await rootOf(config, session);
      const sample: Record<string, unknown>[] = [];
      let leftOut = 0;
      for await (const found of walk({ config, session, effects }, root)) {
        if (found.kind !== 'found' || findExclusion(found.path, config) !== undefined) leftOut += 1;
        else sample.push({ name: found.path, sizeBytes: found.sizeBytes, modifiedAt: timeOf(found) });
        if (sample.length === sampleFiles || leftOut > sampleLooks) break;
      }
      const message = (sample.length === 0 ? sourceSentences.FOLDER_NOTHING : sourceSentences.FOLDER_READABLE).reason(
        {},
      );
      return { message, sample };
    } finally {
      ended.abort();
    }
  },

  async *read(config, effects, cursor) {
    const session = openSftpSession(config, effects);
    const release = session.hold();
    try {
      const root = await rootOf(config, session);
      const source = { config, session, effects };
      for await (const found of walk(source, root, typeof cursor === 'string' ? cursor.split('/') : undefined)) {
        if (found.kind !== 'found') {
          yield found;
          continue;
        }
        const exclusion = findExclusion(found.path, config);
        if (exclusion === undefined) yield itemOf(source, root, found);
        else yield { kind: 'dropped', name: found.path, reason: exclusion, cursor: found.path };
      }
      yield { kind: 'fetched' };
    } finally {
      release();
    }
  },
});

type Source = { config: Config; session: SftpSession; effects: Effects };
type Found = { kind: 'found'; path: string; sizeBytes: number; modified: number };
type Entry = { name: string; kind: 'file' | 'folder' | 'link' | 'other'; sizeBytes: number; modified: number };

/** The real path of the folder. */
async function rootOf(config: Config, session: SftpSession): Promise<string> {
  return session.use(async ({ ask }) => {
    const root = await ask<string>((server, done) => server.realpath(config.path, done)).catch((error: unknown) => {
      throw explain(config.path, error, config);
    });
    const stats = await ask<Stats>((server, done) => server.stat(root, done)).catch((error: unknown) => {
      throw explain(root, error, config);
    });
    if (!stats.isDirectory()) throw new SourceError(sourceSentences.PATH_NO_FOLDER.reason({ path: root }));
    return root;
  });
}

/** The files below a folder, sorted by name, folder by folder; an unreadable one is a failure of its own. */
async function* walk(
  source: Source,
  root: string,
  after?: readonly string[],
  folder = '',
): AsyncGenerator<Found | LeftOut> {
  const { session } = source;
  source.effects.signal.throwIfAborted();
  let entries: Entry[];
  try {
    entries = await listFolder(source, joined(root, folder));
  } catch (error) {
    if (folder === '' || !(error instanceof SourceError)) throw error;
    yield { kind: 'failed', name: `${folder}/`, reason: error.reason };
    return;
  }
  const [first, ...rest] = after ?? [];
  for (const { name, kind, sizeBytes, modified } of entries) {
    if (first !== undefined && name < first) continue;
    const path = folder === '' ? name : `${folder}/${name}`;
    const isPassed = name === first;
    if (isPassed && (kind !== 'folder' || rest.length === 0)) continue;
    if (name.includes('\ufffd')) {
      yield { kind: 'failed', name: path, reason: sourceSentences.NAME_NO_UTF8.reason({}) };
    } else if (kind === 'folder') {
      if (path.split('/').length < maxDepth) yield* walk(source, root, isPassed ? rest : undefined, path);
      else
        yield { kind: 'failed', name: `${path}/`, reason: sourceSentences.FOLDER_TOO_DEEP.reason({ limit: maxDepth }) };
    } else if (kind === 'file') yield { kind: 'found', path, sizeBytes, modified };
    else if (kind === 'link') {
      const target = await session
        .use(({ ask }) => ask<string>((server, done) => server.readlink(joined(root, path), done)))
        .catch(() => '?');
      yield { kind: 'dropped', name: path, reason: sourceSentences.LINK_TO.reason({ target }), cursor: path };
    } else yield { kind: 'dropped', name: path, reason: sourceSentences.NO_PLAIN_FILE.reason({}), cursor: path };
  }
}

/** The sorted entries of a folder; over a new connection if one breaks off. */
async function listFolder({ config, session, effects }: Source, place: string): Promise<Entry[]> {
  for (let resumed = 0; ; resumed += 1) {
    try {
      return await session.use((connection) => entriesOf(connection, place));
    } catch (error) {
      if (!isCut(error)) throw explain(place, error, config);
      if (resumed >= maxResumptions) throw error;
      await effects.pause(firstPauseMs * Math.min(2 ** resumed, 32));
    }
  }
}

async function entriesOf({ ask }: SftpConnection, place: string): Promise<Entry[]> {
  const handle = await ask<Buffer>((server, done) => server.opendir(place, done));
  const entries: Entry[] = [];
  try {
    for (;;) {
      const names = await ask<FileEntryWithStats[] | undefined>((server, done) =>
        server.readdir(handle, (error, list) => {
          if (codeOf(error) === status.endOfFile) done(undefined, undefined);
          else done(error, list);
        }),
      );
      if (names === undefined || names.length === 0) break;
      for (const { filename: name, attrs } of names) {
        if (name === '.' || name === '..') continue;
        if (name === '' || /[/\0]/.test(name))
          throw new SourceError(sourceSentences.FOLDER_BAD_NAME.reason({ path: place }));
        const stats = hasKind(attrs)
          ? attrs
          : await ask<Stats>((server, done) => server.lstat(joined(place, name), done));
        entries.push({ name, kind: kindOf(stats), sizeBytes: stats.size, modified: stats.mtime });
      }
      if (entries.length > maxEntries)
        throw new SourceError(sourceSentences.FOLDER_TOO_MANY.reason({ path: place, limit: maxEntries }));
    }
  } finally {
    await ask((server, done) => server.close(handle, (error) => done(error, undefined))).catch(() => {});
  }
  return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Some servers list names alone. */
function hasKind(attrs: Stats | undefined): attrs is Stats {
  return typeof attrs?.mode === 'number' && typeof attrs.size === 'number' && typeof attrs.mtime === 'number';
}

function kindOf(stats: Stats): Entry['kind'] {
  if (stats.isSymbolicLink()) return 'link';
  if (stats.isDirectory()) return 'folder';
  return stats.isFile() ? 'file' : 'other';
}

function itemOf(source: Source, root: string, found: Found): FileItem {
  const { host, port } = source.config;
  const { path, sizeBytes, modified } = found;
  const place = joined(root, path);
  const isRecent = Math.abs(Date.now() - modified * 1000) < recentMs;
  return {
    kind: 'file',
    key: `${host}:${port} ${place}`,
    name: path,
    path: safePath(path.split('/')),
    ...(isRecent ? {} : { stamp: { sizeBytes, modified } }),
    cursor: path,
    load: async () => ({
      bytes: contentOf(source, place),
      evidence: { host: `${host}:${port}`, modifiedAt: timeOf(found) },
    }),
  };
}

/** The content of a file; after a lost connection, a new one continues while the file is unchanged. */
async function* contentOf({ config, session, effects }: Source, place: string): AsyncGenerator<Uint8Array> {
  const release = session.hold();
  let at = 0;
  let known: string | undefined;
  try {
    for (let resumed = 0; ; resumed += 1) {
      try {
        const opened = await session.use((connection) => openFile(connection, place));
        try {
          known ??= opened.stamp;
          if (opened.stamp !== known) throw changed(place);
          for await (const piece of piecesOf(opened, place, at)) {
            at += piece.length;
            yield piece;
          }
          return;
        } finally {
          opened.close();
        }
      } catch (error) {
        if (!isCut(error)) throw explain(place, error, config);
        if (resumed >= maxResumptions) throw error;
        await effects.pause(firstPauseMs * Math.min(2 ** resumed, 32));
      }
    }
  } finally {
    release();
  }
}

type OpenFile = { connection: SftpConnection; handle: Buffer; sizeBytes: number; stamp: string; close(): void };

async function openFile(connection: SftpConnection, place: string): Promise<OpenFile> {
  const { ask } = connection;
  // Pipelined: `lstat` shows whether the opened path is a link.
  const [listed, opened] = await Promise.allSettled([
    ask<Stats>((server, done) => server.lstat(place, done)),
    ask<Buffer>((server, done) => server.open(place, 'r', done)),
  ]);
  if (opened.status === 'rejected') throw opened.reason;
  const handle = opened.value;
  const close = (): void =>
    void ask((server, done) => server.close(handle, (error) => done(error, undefined))).catch(() => {});
  try {
    if (listed.status === 'rejected') throw listed.reason;
    const itself = listed.value;
    if (kindOf(itself) === 'link') throw new SourceError(sourceSentences.PATH_BECAME_LINK.reason({ path: place }));
    const stats = await ask<Stats>((server, done) => server.fstat(handle, done));
    if (kindOf(stats) !== 'file') throw new SourceError(sourceSentences.PATH_NO_FILE_NOW.reason({ path: place }));
    return { connection, handle, sizeBytes: stats.size, stamp: stampOf(stats), close };
  } catch (error) {
    close();
    throw error;
  }
}

/** The bytes from a position to the end, with many requests in flight. Throws if the size or time of the file changes meanwhile. */
async function* piecesOf(file: OpenFile, place: string, from: number): AsyncGenerator<Uint8Array> {
  const { connection, handle, sizeBytes, stamp } = file;
  const pieces: Promise<Buffer>[] = [];
  let next = from;
  let isAsked = false;
  for (;;) {
    while (pieces.length < piecesAhead && !isAsked) {
      // The last request is for one byte after the end, which must not exist.
      isAsked = next >= sizeBytes;
      const piece = readPiece(file, next, isAsked ? 1 : Math.min(pieceBytes, sizeBytes - next));
      piece.catch(() => {});
      pieces.push(piece);
      next += pieceBytes;
    }
    const [piece] = pieces.splice(0, 1);
    if (piece === undefined) break;
    const bytes = await piece;
    const isLast = pieces.length === 0 && isAsked;
    if (isLast && bytes.length > 0) throw changed(place);
    if (!isLast) yield bytes;
  }
  const after = await connection.ask<Stats>((server, done) => server.fstat(handle, done));
  if (stampOf(after) !== stamp) throw changed(place);

  async function readPiece({ sizeBytes: end }: OpenFile, start: number, length: number): Promise<Buffer> {
    const buffer = Buffer.allocUnsafe(length);
    let filled = 0;
    while (filled < length) {
      const count = await readSome(connection, handle, buffer, { filled, at: start + filled });
      if (count === 0) break;
      filled += count;
    }
    if (filled < length && start < end) throw changed(place);
    return buffer.subarray(0, filled);
  }
}

function readSome(
  { ask }: SftpConnection,
  handle: Buffer,
  buffer: Buffer,
  { filled, at }: { filled: number; at: number },
): Promise<number> {
  return ask<number>((server: SFTPWrapper, done) =>
    server.read(handle, buffer, filled, buffer.length - filled, at, (error, count) => {
      if (codeOf(error) === status.endOfFile) done(undefined, 0);
      else done(error, count);
    }),
  );
}

function changed(place: string): SourceError {
  return new SourceError(sourceSentences.PATH_CHANGED.reason({ path: place }));
}

function stampOf({ size, mtime }: Stats): string {
  return `${size} ${mtime}`;
}

function timeOf({ modified }: Found): string {
  return new Date(modified * 1000).toISOString();
}

function joined(folder: string, path: string): string {
  if (path === '') return folder;
  return folder.endsWith('/') ? folder + path : `${folder}/${path}`;
}

function isCut(error: unknown): boolean {
  return error instanceof OutgoingError && error.problem === 'cut-off';
}

/** Status codes of the protocol. */
const status = { endOfFile: 1, noSuchFile: 2, permissionDenied: 3 };

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | undefined | null)?.code;
}

function explain(place: string, error: unknown, { user }: Pick<Config, 'user'>): unknown {
  if (error instanceof SourceError || error instanceof OutgoingError) return error;
  const say = (reason: Reason): SourceError => new SourceError(reason, { cause: error });
  switch (codeOf(error)) {
    case status.noSuchFile:
      return say(sourceSentences.PATH_NOT_THERE.reason({ path: place }));
    case status.permissionDenied:
      return say(sourceSentences.SERVER_FORBIDS.reason({ user, path: place }));
  }
  return typeof codeOf(error) === 'number'
    ? say(sourceSentences.SERVER_CAN_NOT_READ.reason({ path: place, said: (error as Error).message }))
    : error;
}

import { parameterProblems } from '../kernel/parameter-problems.ts';
import { Type } from 'typebox';
import { OutgoingError } from '../outgoing/index.ts';
import { defineConnector, SourceError, type Effects, type FetchedFile, type LeftOut } from './connector.ts';
import { idBytesOf, type GitPack } from './git-pack.ts';
import { openGitRemote, type GitConfig, type GitRemote } from './git-protocol.ts';
import { findCredentialProblem, findUrlProblem, secret } from './http-fields.ts';
import { filterFields, findExclusion } from './path-filter.ts';
import { safePath } from './safe-path.ts';
import { sourceSentences } from './sentences.ts';

const sampleFiles = 5;
/** Limits on what a check lists and fetches. */
const sampleLooks = 10_000;
const sampleBytes = 64 * 1024 * 1024;
const attempts = 3;
const pauseMs = 1000;
const filesAtOnce = 16;
const requestsAtOnce = 2;
/** A few trees that refer to one another can expand to more files than there are atoms. */
const maxEntries = 5_000_000;
const maxDepth = 100;
/** Git LFS pointers are smaller than this. */
const pointerBytes = 1024;

type Config = GitConfig & {
  revision: string;
  folder?: string;
  include?: string[];
  exclude?: string[];
  nameEncoding?: string;
  maxPackBytes: number;
};

export const git = defineConnector({
  type: 'git',
  name: 'Git repository',
  description:
    'Fetches the files of a repository at a branch, tag or commit over HTTP or HTTPS. Later runs fetch only files whose object id has changed; each file is verified against its id. Submodules, symbolic links and Git LFS pointers are listed but not fetched.',
  incremental: true,
  listsAll: true,
  parallel: filesAtOnce,
  config: Type.Object({
    url: Type.String({
      minLength: 1,
      maxLength: 4000,
      description: 'URL of the repository, such as https://example.org/team/data.git',
    }),
    revision: Type.String({
      default: 'HEAD',
      minLength: 1,
      maxLength: 250,
      pattern: '^[^\\s\\x00-\\x1f\\x7f]+$',
      description: 'Branch, tag or full commit id; HEAD is the default branch of the repository',
    }),
    folder: Type.Optional(
      Type.String({
        maxLength: 1000,
        description: 'Fetch only the files of this folder; their paths are relative to it',
      }),
    ),
    username: Type.Optional(Type.String({ maxLength: 200, description: 'User name; most Git servers need none' })),
    password: secret('Access token or password'),
    bearerToken: secret('Sent as Authorization: Bearer …, for servers that require it'),
    nameEncoding: Type.Optional(
      Type.Union(
        ['gb18030', 'big5', 'shift_jis', 'euc-jp', 'euc-kr', 'windows-1251', 'windows-1252'].map((each) =>
          Type.Literal(each),
        ),
        { description: 'Encoding of file names that are not UTF-8' },
      ),
    ),
    maxPackBytes: Type.Integer({
      default: 4 * 1024 ** 3,
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Maximum size of one server response; it is stored temporarily on the disk of the service',
    }),
    ...filterFields,
  }),

  validate(config) {
    const problem = findUrlProblem(config.url);
    if (problem !== undefined) return { field: 'url', problem };
    const { bearerToken, username, password } = config;
    const isGiven = (value: unknown): boolean => typeof value === 'string' && value !== '';
    return isGiven(bearerToken) && isGiven(password)
      ? { field: 'bearerToken', problem: parameterProblems.MUST_NOT_BE_WITH.reason({ other: 'password' }) }
      : findCredentialProblem({ bearerToken, username, password });
  },

  destinationsOf: ({ url }) => [URL.parse(url)?.origin ?? url],

  async check(given, effects) {
    const config = given as Config;
    const remote = await openGitRemote(config, effects);
    const { commit, ref } = await remote.resolve(config.revision);
    const [repository, at] = [ref === commit ? 'The repository' : ref, commit.slice(0, 12)];
    if (!remote.canOmitFiles)
      return {
        message: sourceSentences.REPOSITORY_AT_UNLISTED.reason({ repository, commit: at }),
        sample: [],
      };
    const limits = { maxBytes: sampleBytes, signal: effects.signal };
    const pack = await remote.receive([commit], { isCommit: true, omitFiles: true, ...limits });
    try {
      const sample: Record<string, unknown>[] = [];
      let leftOut = 0;
      for await (const found of walk(await snapshotOf(pack, commit, config), effects.signal)) {
        if (found.kind !== 'found' || findExclusion(found.path, config) !== undefined) leftOut += 1;
        else sample.push({ name: found.path, id: found.id });
        if (sample.length === sampleFiles || leftOut > sampleLooks) break;
      }
      const sentence = sample.length === 0 ? sourceSentences.REPOSITORY_AT_NOTHING : sourceSentences.REPOSITORY_AT;
      const message = sentence.reason({ repository, commit: at });
      return { message, sample };
    } finally {
      await pack.close();
    }
  },

  async *read(given, effects, cursor) {
    const config = given as Config;
    const remote = await openGitRemote(config, effects);
    const { commit, pack } = await openCommit(remote, { config, effects, cursor });
    try {
      const files: Files = remote.canOmitFiles
        ? createFileRequests(remote, { maxBytes: config.maxPackBytes, signal: effects.signal })
        : async () => ({ pack, release: () => {} });
      for await (const found of walk(await snapshotOf(pack, commit, config), effects.signal)) {
        const exclusion = found.kind === 'found' ? findExclusion(found.path, config) : undefined;
        if (found.kind !== 'found') yield { ...found, cursor: { commit } };
        else if (exclusion !== undefined)
          yield { kind: 'dropped', name: found.path, reason: exclusion, cursor: { commit } };
        else {
          const { path, id } = found;
          yield {
            kind: 'file',
            key: `${config.url} ${config.folder ?? ''} ${path}`,
            name: path,
            path: safePath(path.split('/')),
            stamp: id,
            cursor: { commit },
            load: async (): Promise<FetchedFile> => {
              const evidence = { repository: config.url, commit, id };
              return { bytes: await contentOf(files, id), evidence };
            },
          };
        }
      }
      yield { kind: 'fetched' };
    } finally {
      await pack.close();
    }
  },
});

/** The commit with its trees, and with its files if the server can not omit them. */
async function openCommit(
  remote: GitRemote,
  { config, effects, cursor }: { config: Config; effects: Effects; cursor: unknown },
): Promise<{ commit: string; pack: GitPack }> {
  const { url, revision, maxPackBytes: maxBytes } = config;
  const options = { isCommit: true, omitFiles: remote.canOmitFiles, maxBytes, signal: effects.signal };
  if (!remote.canOmitFiles) await effects.log('INFO', sourceSentences.GIT_SENDS_ALL.reason({}));
  // All files belong to one commit, even if a push happens while the run is stopped.
  const begun = (cursor as { commit?: unknown } | undefined)?.commit;
  if (typeof begun === 'string') {
    try {
      return { commit: begun, pack: await withRetries(effects, () => remote.receive([begun], options)) };
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      await effects.log('WARN', sourceSentences.GIT_OTHER_COMMIT.reason({ why: error.reason }));
    }
  }
  const { commit, ref } = await remote.resolve(revision);
  await effects.log('INFO', sourceSentences.REPOSITORY_REVISION.reason({ repository: url, revision: ref, commit }));
  return { commit, pack: await withRetries(effects, () => remote.receive([commit], options)) };
}

/** A pack that is cut off can't be resumed: it is requested again. */
async function withRetries<T>(effects: Effects, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const isCut = error instanceof OutgoingError && error.problem === 'cut-off';
      if (!isCut || attempt === attempts) throw error;
      await effects.pause(pauseMs * attempt);
    }
  }
}

type Snapshot = { pack: GitPack; tree: string; idBytes: number; nameOf: (bytes: Buffer) => string | undefined };

/** The tree of the folder in a commit. */
async function snapshotOf(pack: GitPack, commit: string, { folder = '', nameEncoding }: Config): Promise<Snapshot> {
  const idBytes = idBytesOf(commit.length === 40 ? 'sha1' : 'sha256');
  const head = (await pack.readWhole(commit, 'commit')).toString('latin1');
  const tree = /^tree ([\da-f]+)\n/.exec(head)?.[1];
  if (tree === undefined) throw new SourceError(sourceSentences.COMMIT_NO_TREE.reason({ commit }));
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const other = nameEncoding === undefined ? undefined : new TextDecoder(nameEncoding, { fatal: true });
  const nameOf = (bytes: Buffer): string | undefined => decoded(utf8, bytes) ?? decoded(other, bytes);
  const snapshot = { pack, tree, idBytes, nameOf };
  for (const name of folder.split('/').filter((each) => each !== '')) {
    const entries = await entriesOf(snapshot, snapshot.tree);
    const found = entries.find((entry) => entry.mode === modes.folder && nameOf(entry.name) === name);
    if (found === undefined) throw new SourceError(sourceSentences.REPOSITORY_NO_FOLDER.reason({ folder }));
    snapshot.tree = found.id;
  }
  return snapshot;
}

function decoded(decoder: { decode(bytes: Uint8Array): string } | undefined, bytes: Buffer): string | undefined {
  try {
    return decoder?.decode(bytes);
  } catch {
    return undefined;
  }
}

const modes = { folder: '40000', link: '120000', submodule: '160000' };

type TreeEntry = { mode: string; name: Buffer; id: string };

async function entriesOf({ pack, idBytes }: Snapshot, tree: string): Promise<TreeEntry[]> {
  const bytes = await pack.readWhole(tree, 'tree');
  const entries: TreeEntry[] = [];
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(0x20, at);
    const end = bytes.indexOf(0, space);
    const next = end + 1 + idBytes;
    if (space < 0 || end < 0 || next > bytes.length)
      throw new SourceError(sourceSentences.TREE_BROKEN.reason({ tree }));
    const name = Buffer.from(bytes.subarray(space + 1, end));
    entries.push({ mode: bytes.toString('latin1', at, space), name, id: bytes.toString('hex', end + 1, next) });
    at = next;
  }
  return entries;
}

type Found = { kind: 'found'; path: string; id: string };

/** The files of a snapshot in the order of its trees. */
async function* walk(snapshot: Snapshot, signal: AbortSignal): AsyncGenerator<Found | LeftOut> {
  let count = 0;
  yield* within(snapshot.tree, '', 1);

  async function* within(tree: string, folder: string, depth: number): AsyncGenerator<Found | LeftOut> {
    signal.throwIfAborted();
    for (const { mode, name: bytes, id } of await entriesOf(snapshot, tree)) {
      count += 1;
      if (count > maxEntries) throw new SourceError(sourceSentences.REPOSITORY_TOO_MANY.reason({ limit: maxEntries }));
      const name = snapshot.nameOf(bytes);
      const path = `${folder}${name ?? bytes.toString()}`;
      if (name === undefined) {
        const reason = sourceSentences.NAME_NO_UTF8_ENCODING.reason({});
        yield { kind: 'failed', name: mode === modes.folder ? `${path}/` : path, reason };
      } else if (mode === modes.folder) {
        if (depth < maxDepth) yield* within(id, `${path}/`, depth + 1);
        else
          yield {
            kind: 'failed',
            name: `${path}/`,
            reason: sourceSentences.FOLDER_TOO_DEEP.reason({ limit: maxDepth }),
          };
      } else if (mode === modes.submodule) {
        const reason = sourceSentences.SUBMODULE.reason({ commit: id.slice(0, 12) });
        yield { kind: 'dropped', name: path, reason };
      } else if (mode === modes.link) {
        yield { kind: 'dropped', name: path, reason: sourceSentences.SYMBOLIC_LINK.reason({}) };
      } else yield { kind: 'found', path, id };
    }
  }
}

/** Locates the content of a file until it is released. */
type Files = (id: string) => Promise<{ pack: GitPack; release(): void }>;

type Request = { id: string; resolve(found: { pack: GitPack; release(): void }): void; reject(error: unknown): void };

/** Combines simultaneous requests for files into one. */
function createFileRequests(remote: GitRemote, limits: { maxBytes: number; signal: AbortSignal }): Files {
  const waiting: Request[] = [];
  let running = 0;

  function start(): void {
    while (running < requestsAtOnce && waiting.length > 0) {
      running += 1;
      void answer(waiting.splice(0, filesAtOnce));
    }
  }

  async function answer(requests: readonly Request[]): Promise<void> {
    try {
      const pack = await remote.receive([...new Set(requests.map(({ id }) => id))], limits);
      let users = requests.length;
      const release = (): void => {
        users -= 1;
        // All users are done with it.
        if (users === 0) pack.close().catch(() => {});
      };
      for (const { resolve } of requests) resolve({ pack, release });
    } catch (error) {
      for (const { reject } of requests) reject(error);
    } finally {
      running -= 1;
      start();
    }
  }

  return (id) =>
    new Promise((resolve, reject) => {
      waiting.push({ id, resolve, reject });
      // Requests of the same event loop turn are sent together.
      setImmediate(start);
    });
}

async function contentOf(files: Files, id: string): Promise<AsyncGenerator<Uint8Array>> {
  const { pack, release } = await files(id);
  try {
    if (pack.sizeOf(id) <= pointerBytes) {
      const text = (await pack.readWhole(id, 'blob')).toString('latin1');
      const [, sha256, size] =
        /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:.*\n)*?oid sha256:([\da-f]{64})\nsize (\d+)\n/.exec(
          text,
        ) ?? [];
      if (sha256 !== undefined && size !== undefined)
        throw new SourceError(sourceSentences.LFS_POINTER.reason({ size, sha256 }));
    }
  } catch (error) {
    release();
    throw error;
  }
  return released(pack.read(id), release);
}

async function* released(bytes: AsyncIterable<Uint8Array>, release: () => void): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } finally {
    release();
  }
}

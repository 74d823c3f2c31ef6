import type { Reason } from '../kernel/sentences/index.ts';
import { SourceError, type Effects } from './connector.ts';
import { authorizationOf, request, type SourceRequest } from './http-requests.ts';
import { idBytesOf, receivePack, type GitHash, type GitPack } from './git-pack.ts';
import { sourceSentences } from './sentences.ts';

export type GitConfig = {
  url: string;
  username?: string;
  password?: string | null;
  bearerToken?: string | null;
};

/** A remote repository over Git's smart HTTP protocol, version 2. */
export type GitRemote = {
  /** Whether the server can send trees without their files. */
  canOmitFiles: boolean;
  /** The commit of a branch, tag, full ref or id. Throws SourceError. */
  resolve(revision: string): Promise<{ commit: string; ref: string }>;
  /** Fetches one commit with its objects, or only the wanted objects. Throws SourceError and OutgoingError. */
  receive(wanted: readonly string[], options: PackRequest): Promise<GitPack>;
};

export type PackRequest = {
  /** The wanted object is a commit; its parents are not fetched. */
  isCommit?: boolean;
  omitFiles?: boolean;
  maxBytes: number;
  signal: AbortSignal;
};

const maxListBytes = 64 * 1024 * 1024;
const listMs = 120_000;
const packMs = 6 * 3_600_000;
const mostPacketBytes = 65_520;
/** Size limit of a response apart from its pack. */
const frameBytes = 1024 * 1024;

/** Fetches the capabilities of a repository. Throws SourceError and OutgoingError. */
export async function openGitRemote(config: GitConfig, effects: Effects): Promise<GitRemote> {
  const base = config.url.replace(/\/+$/, '');
  const { host } = new URL(base);
  const credentials = credentialsOf(config);

  function callOf(path: string, body?: string): Omit<SourceRequest, 'maxBytes' | 'totalMs'> {
    const posted =
      body === undefined
        ? {}
        : {
            'content-type': 'application/x-git-upload-pack-request',
            accept: 'application/x-git-upload-pack-result',
          };
    return {
      url: `${base}/${path}`,
      headers: { 'user-agent': 'git/2.40 (tilth)', 'git-protocol': 'version=2', ...posted, ...credentials },
      ...(body === undefined ? {} : { method: 'POST', body }),
      signal: effects.signal,
    };
  }

  async function ask(call: SourceRequest, type: string): Promise<PacketReader> {
    const answer = await request(effects, call);
    if (answer.headers.get('content-type')?.split(';')[0] !== type) {
      await answer.body?.cancel();
      throw new SourceError(sourceSentences.NO_REPOSITORY.reason({ host }));
    }
    return createPacketReader(answer.body ?? [], host);
  }

  const asked = { ...callOf('info/refs?service=git-upload-pack'), maxBytes: maxListBytes, totalMs: listMs };
  const packets = await ask(asked, 'application/x-git-upload-pack-advertisement');
  const capabilities = new Map<string, string>();
  let isVersion2 = false;
  for await (const line of packets.lines()) {
    if (line === 'version 2') isVersion2 = true;
    else if (isVersion2) {
      const [name = '', value = ''] = line.split(/=(.*)/s);
      capabilities.set(name, value);
    }
  }
  if (!isVersion2) throw new SourceError(sourceSentences.GIT_TOO_OLD.reason({ host }));
  const hash = capabilities.get('object-format') ?? 'sha1';
  if (hash !== 'sha1' && hash !== 'sha256')
    throw new SourceError(sourceSentences.GIT_OTHER_HASH.reason({ host, hash }));
  const features = new Set(capabilities.get('fetch')?.split(' '));

  const command = (name: string, lines: readonly string[]): string =>
    [
      packet(`command=${name}`),
      packet('agent=tilth'),
      ...(capabilities.has('object-format') ? [packet(`object-format=${hash}`)] : []),
      '0001',
      ...lines.map(packet),
      '0000',
    ].join('');

  return {
    canOmitFiles: features.has('filter'),

    async resolve(revision) {
      if (isId(revision, hash)) return { commit: revision, ref: revision };
      const names = [revision, `refs/tags/${revision}`, `refs/heads/${revision}`];
      const lines = ['peel', 'symrefs', ...names.map((name) => `ref-prefix ${name}`)];
      const call = { ...callOf('git-upload-pack', command('ls-refs', lines)), maxBytes: maxListBytes, totalMs: listMs };
      const refs = new Map<string, string>();
      for await (const line of (await ask(call, 'application/x-git-upload-pack-result')).lines()) {
        const [id = '', name = '', ...attributes] = line.split(' ');
        const peeled = attributes.find((each) => each.startsWith('peeled:'))?.slice('peeled:'.length);
        refs.set(name, peeled ?? id);
      }
      for (const ref of names) {
        const commit = refs.get(ref);
        if (commit !== undefined && isId(commit, hash)) return { commit, ref };
      }
      throw new SourceError(
        revision === 'HEAD'
          ? sourceSentences.REPOSITORY_EMPTY.reason({ url: base })
          : sourceSentences.REPOSITORY_NO_REVISION.reason({ url: base, revision }),
      );
    },

    async receive(wanted, { isCommit = false, omitFiles = false, maxBytes, signal }) {
      const lines = [
        'no-progress',
        'ofs-delta',
        ...wanted.map((id) => `want ${id}`),
        ...(isCommit && features.has('shallow') ? ['deepen 1'] : []),
        ...(omitFiles ? ['filter blob:none'] : []),
        'done',
      ];
      const call = {
        ...callOf('git-upload-pack', command('fetch', lines)),
        maxBytes: maxBytes + maxBytes / 64 + frameBytes,
        totalMs: packMs,
        signal,
      };
      const reader = await ask(call, 'application/x-git-upload-pack-result');
      return receivePack(reader.pack(), { folder: effects.scratchDirectory, maxBytes, hash, signal });
    },
  };
}

function isId(text: string, hash: GitHash): boolean {
  return text.length === idBytesOf(hash) * 2 && /^[\da-f]+$/.test(text);
}

/** Servers accept access tokens as passwords, and few check the user name. */
function credentialsOf({ username, password, bearerToken }: GitConfig): Readonly<Record<string, string>> {
  const hasPassword = typeof password === 'string' && password !== '';
  const name = username === undefined || username === '' ? (hasPassword ? 'git' : undefined) : username;
  return authorizationOf({
    ...(bearerToken === undefined ? {} : { bearerToken }),
    ...(name === undefined ? {} : { username: name }),
    ...(password === undefined ? {} : { password }),
  });
}

function packet(line: string): string {
  const text = `${line}\n`;
  return (Buffer.byteLength(text) + 4).toString(16).padStart(4, '0') + text;
}

type PacketReader = {
  /** The lines up to the end, without the delimiters between sections. */
  lines(): AsyncIterable<string>;
  /** The bytes of the pack in the response to a fetch. */
  pack(): AsyncIterable<Uint8Array>;
};

/** Reads pkt-lines: four hexadecimal digits with the length, then the content. */
function createPacketReader(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, host: string): PacketReader {
  async function* packets(): AsyncGenerator<Buffer> {
    let rest: Buffer = Buffer.alloc(0);
    for await (const piece of source) {
      rest =
        rest.length === 0 ? Buffer.from(piece.buffer, piece.byteOffset, piece.length) : Buffer.concat([rest, piece]);
      let at = 0;
      while (rest.length - at >= 4) {
        const digits = rest.toString('latin1', at, at + 4);
        const length = /^[\da-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : mostPacketBytes + 1;
        if (length > mostPacketBytes) throw new SourceError(sourceSentences.GIT_NOT_SPOKEN.reason({ host }));
        // Flush and delimiter packets: the end of the response, and between sections.
        if (length < 4) at += 4;
        else if (rest.length - at < length) break;
        else {
          const content = rest.subarray(at + 4, at + length);
          at += length;
          if (content.toString('latin1', 0, 4) === 'ERR ')
            throw new SourceError(refusalOf(content.toString('utf8', 4)));
          yield content;
        }
      }
      rest = rest.subarray(at);
    }
    if (rest.length > 0) throw new SourceError(sourceSentences.GIT_CUT_OFF.reason({ host }));
  }

  function refusalOf(message: string): Reason {
    const missing = /not our ref ([\da-f]+)/.exec(message)?.[1];
    return missing === undefined
      ? sourceSentences.GIT_REFUSES.reason({ host, said: message.trim().slice(0, 500) })
      : sourceSentences.GIT_NO_OBJECT.reason({ host, id: missing });
  }

  return {
    async *lines() {
      for await (const content of packets()) yield content.toString().replace(/\n$/, '');
    },
    async *pack() {
      let isPack = false;
      for await (const content of packets()) {
        if (!isPack) isPack = content.toString('latin1') === 'packfile\n';
        else if (content[0] === 1) yield content.subarray(1);
        else if (content[0] === 3) throw new SourceError(refusalOf(content.toString('utf8', 1)));
      }
      if (!isPack) throw new SourceError(sourceSentences.GIT_NO_PACK.reason({ host }));
    },
  };
}

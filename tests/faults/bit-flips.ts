import { setTimeout as pause } from 'node:timers/promises';
import { createVerification, type Finding } from '../../server/areas/data-management/index.ts';
import { readZip } from '../contract/zip-reading.ts';
import { startProcess, type RunningProcess } from '../support/server.ts';
import { damage, damageKinds, findBytes, type DamageKind } from './bit-flips/damage.ts';
import { storeFiles, type StoredChunk, type StoredFile, type StoredFiles } from './bit-flips/stored-files.ts';
import type { FaultCase, FaultFamily } from './family.ts';
import { createFaultDatabase, databaseKinds } from './fault-database.ts';
import { createRandom } from './random.ts';
import { listFindings } from './storage-findings.ts';

const counts = { short: 12, full: 600 } as const;
/** `verify` runs as its own process once per this many cases; the others call its functions. */
const commandEvery = 25;
const logTimeoutMs = 10_000;

/**
 * Damages the stored bytes at one place at a time. `verify` must name exactly what is damaged, a damaged file must
 * never be a complete answer, alone or in a ZIP, the log must report it, and everything else must stay readable.
 */
export const bitFlips: FaultFamily = {
  name: 'bit-flips',
  databases: databaseKinds,
  missing: () => undefined,
  // One damage at a time.
  jobs: 1,
  async prepare(t, { seed, size, database: kind }) {
    const database = await createFaultDatabase(t, kind);
    const service = await startProcess(t, { settings: { TILTH_LOG_LEVEL: 'error', ...database.environment } });
    const stored = await storeFiles(service, database);
    t.after(() => stored.db.close());
    return Array.from({ length: counts[size] }, (_, index): FaultCase => {
      const kind = damageKinds[index % damageKinds.length] ?? 'one-bit';
      return {
        id: `${kind}-${index + 1}`,
        run: () => runCase(service, stored, { kind, seed, index }),
      };
    });
  },
};

type Target = StoredFile | StoredChunk;

async function runCase(
  service: RunningProcess,
  stored: StoredFiles,
  { kind, seed, index }: { kind: DamageKind; seed: number; index: number },
): Promise<{ violations: string[]; missed?: true }> {
  const random = createRandom(seed, 'bit-flips', index);
  const targets: readonly Target[] = [...stored.files, ...stored.chunks];
  const target = random.pick(targets);
  const header = 'header' in target ? target.header : undefined;
  // Every fourth record of a pack is hit in its header.
  const hit = header !== undefined && random.integer(0, 3) === 0 ? header : target;
  const undo = await damage(kind, { ...hit.place, sizeBytes: hit.bytes.length }, random);
  const violations: string[] = [];
  let damaged: ReadonlySet<Target>;
  let hitHeaders = 0;
  try {
    damaged = await findDamaged(targets);
    const headers = await findDamagedHeaders(stored.files, damaged);
    hitHeaders = headers.size;
    violations.push(...compareFindings(damaged, headers, await findings(stored)));
    if (index % commandEvery === 0)
      violations.push(...(await compareCommand(service, stored, damaged.size + headers.size)));
    const logged = service.output().stderr.length;
    const broken = new Set<StoredFile>();
    for (const file of stored.files) {
      const sentence = await compareDownload(service, stored, file, { isDamaged: damaged.has(file), kind });
      if (sentence === 'broken off') broken.add(file);
      else if (sentence !== undefined) violations.push(sentence);
    }
    violations.push(...(await compareZip(service, stored, damaged, kind)));
    for (const { filePath, fileId } of broken)
      if (!(await isLogged(service, logged, fileId))) violations.push(`the log says nothing of ${filePath}`);
  } finally {
    await undo();
  }
  const left = await findings(stored);
  if (left.length > 0) violations.push(`damage that was mended is still told: ${JSON.stringify(left)}`);
  return damaged.size + hitHeaders === 0 ? { violations, missed: true } : { violations };
}

/**
 * Judged by the current content of the disk: a damage may also hit neighbours in a pack or (zeros over zeros) nothing.
 */
async function findDamaged(targets: readonly Target[]): Promise<Set<Target>> {
  const damaged = new Set<Target>();
  for (const target of targets) {
    const now = await findBytes(target.place, target.bytes.length);
    if (now?.equals(target.bytes) !== true) damaged.add(target);
  }
  return damaged;
}

/** Files whose content is intact but whose header is damaged. */
async function findDamagedHeaders(
  files: readonly StoredFile[],
  damaged: ReadonlySet<Target>,
): Promise<Set<StoredFile>> {
  const hit = new Set<StoredFile>();
  for (const file of files) {
    if (file.header === undefined || damaged.has(file)) continue;
    const now = await findBytes(file.header.place, file.header.bytes.length);
    if (now?.equals(file.header.bytes) !== true) hit.add(file);
  }
  return hit;
}

const noHoldings = {
  listHolders: async () => [],
  findInNotes: async () => [],
  listDocuments: async () => [],
  listRunsOf: async () => [],
  listReferences: async () => [],
};

async function findings({ db, blobDirectory }: StoredFiles): Promise<Finding[]> {
  const found: Finding[] = [];
  for await (const finding of createVerification({ db, directory: blobDirectory, holdings: noHoldings }).verify({}))
    found.push(finding);
  return found;
}

/**
 * Checks that `verify` names each damaged file or chunk with its version and its place on the disk, and nothing else.
 */
function compareFindings(
  damaged: ReadonlySet<Target>,
  headers: ReadonlySet<StoredFile>,
  found: readonly Finding[],
): string[] {
  const wanted = new Set([
    ...[...damaged].map(labelOf),
    ...[...headers].map(({ header, ...file }) => labelOf({ ...file, header, place: header?.place ?? file.place })),
  ]);
  const told = new Set<string>();
  const violations: string[] = [];
  for (const finding of found) {
    if (finding.kind === 'content')
      for (const { filePath, addedVersion } of finding.files)
        told.add(`${filePath} of version ${addedVersion} at ${finding.place.path} ${finding.place.offset}`);
    else if (finding.kind === 'chunk')
      told.add(`chunk ${finding.chunkNo} at ${finding.place.path} ${finding.place.offset}`);
    else violations.push(`verify tells of what is not damaged: ${JSON.stringify(finding)}`);
  }
  for (const label of wanted) if (!told.has(label)) violations.push(`verify does not find ${label}`);
  for (const label of told) if (!wanted.has(label)) violations.push(`verify finds ${label}, which is whole`);
  return violations;
}

function labelOf(target: Target): string {
  const place = `${target.place.path} ${target.place.offset}`;
  return 'chunkNo' in target
    ? `chunk ${target.chunkNo} at ${place}`
    : `${target.filePath} of version ${target.version} at ${place}`;
}

async function compareCommand(service: RunningProcess, { database }: StoredFiles, places: number): Promise<string[]> {
  const found = await listFindings(service.dataDir, database);
  return found.length === places
    ? []
    : [`verify on the command line tells ${found.length} findings, ${places} places are damaged: ${found.join()}`];
}

async function compareDownload(
  { url, token }: RunningProcess,
  { datasetId, caller }: StoredFiles,
  { filePath, fileId, version, bytes }: StoredFile,
  { isDamaged, kind }: { isDamaged: boolean; kind: DamageKind },
): Promise<string | undefined> {
  const path = `/datasets/${datasetId}/files/${fileId}/download?version=${version}`;
  const answer = await fetchWhole(`${url}/api/v1/data-management${path}`, token);
  const isWhole = answer.status === 200 && answer.bytes?.equals(bytes) === true;
  if (!isDamaged) return isWhole ? undefined : `${filePath} is whole and its download is not (${answer.status})`;
  // An open file can still be read after its name is removed.
  if (isWhole && kind === 'removed') return undefined;
  if (answer.status === 200 && answer.bytes !== undefined) return `${filePath} is damaged and its download is complete`;
  if (answer.status !== 200 && answer.status !== 500) return `${filePath} is damaged: ${answer.status}`;
  return caller.complaints.length > 0 ? caller.complaints.join('; ') : 'broken off';
}

async function compareZip(
  { url, token }: RunningProcess,
  { datasetId, files }: StoredFiles,
  damaged: ReadonlySet<Target>,
  kind: DamageKind,
): Promise<string[]> {
  const current = files.filter(
    (file) => !files.some((other) => other.fileId === file.fileId && other.version > file.version),
  );
  const isDamaged = current.some((file) => damaged.has(file));
  const answer = await fetchWhole(`${url}/api/v1/data-management/datasets/${datasetId}/files/download`, token);
  if (answer.status !== 200 || answer.bytes === undefined)
    return isDamaged ? [] : [`the ZIP is broken (${answer.status})`];
  if (isDamaged && kind !== 'removed') return ['a file is damaged and the ZIP is complete'];
  const entries = await readZip(answer.bytes);
  const wrong = current.filter(({ filePath, bytes }) => entries.get(filePath)?.equals(bytes) !== true);
  return wrong.map(({ filePath }) => `${filePath} is another one in the ZIP`);
}

/** Whether the log reports that a file's bytes are unreadable; the line is written a moment after the answer. */
async function isLogged(service: RunningProcess, from: number, fileId: string): Promise<boolean> {
  for (const deadline = performance.now() + logTimeoutMs; performance.now() < deadline; await pause(10)) {
    const lines = service.output().stderr.slice(from).split('\n');
    if (lines.some((line) => line.includes(fileId) && /are (damaged|missing)/.test(line))) return true;
  }
  return false;
}

/** The status and the whole body; the body is undefined when it ended before its announced end. */
async function fetchWhole(url: string, token: string): Promise<{ status: number; bytes: Buffer | undefined }> {
  const answer = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
  try {
    return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) };
  } catch {
    return { status: answer.status, bytes: undefined };
  }
}

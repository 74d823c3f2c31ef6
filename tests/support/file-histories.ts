// Random histories of a dataset's files, and the simplest model of what they must lead to.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { systemClock } from '../../server/kernel/clock.ts';
import { AppError } from '../../server/kernel/errors.ts';
import { ancestorsOf } from '../../server/kernel/file-path.ts';
import type { Database, Tx } from '../../server/storage/database/database.ts';
import type {
  AddOutcome,
  CommitOptions,
  CommitUpload,
  FileCommits,
  FileStatus,
  NewFile,
  ReplacedContent,
} from '../../server/areas/data-management/files/file-commits.ts';
import { insertUpload } from '../../server/areas/data-management/queries/uploads.ts';
import { uploadRow } from './upload-rows.ts';

/** Paths that sort differently by bytes and by UTF-16, share prefixes, nest, and collide with folders. */
const segments = ['a', 'b', 'a b', 'a.txt', 'b.json', '\u{10000}', '\uFF5E', 'Z', '.x', 'ab'];
const paths = fc.array(fc.constantFrom(...segments), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
const statuses = fc.constantFrom<FileStatus>('COMPLETED', 'COMPLETED', 'PROCESSING', 'ERROR');
const policies = fc.constantFrom('REPLACE', 'RENAME', 'ERROR' as const);
const newFiles = fc.record({ path: paths, sizeBytes: fc.nat(1000), status: statuses });

/** Steps of a history. */
export const steps = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('add' as const),
        onConflict: policies,
        files: fc.array(newFiles, { maxLength: 12 }),
        upload: fc.constantFrom(undefined, 'one', 'one', 'two'),
        inSlices: fc.boolean(),
        /** Slices without an upload also replace all content, or the chosen files. */
        ending: fc.constantFrom(undefined, undefined, 'all', [0, 3, 7] as const),
        staysOpen: fc.constantFrom(true, true, true, false),
      }),
    },
    { weight: 1, arbitrary: fc.constant({ kind: 'close' as const }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('end' as const),
        picks: fc.array(fc.nat(), { maxLength: 6 }),
        purge: fc.boolean(),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('endFolder' as const), pick: fc.nat(), purge: fc.boolean() }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('move' as const), pick: fc.nat(), path: paths }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('directory' as const), path: paths }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('status' as const), pick: fc.nat(), status: statuses }) },
  ),
  { minLength: 1, maxLength: 18 },
);
type Step = (typeof steps extends fc.Arbitrary<infer S> ? S : never)[number];

export type ModelFile = { id: string; path: string; size: number; status: FileStatus };
/** The content of a dataset at one version. */
export type State = { files: Map<string, ModelFile>; directories: Set<string> };

export class Model {
  readonly versions: State[] = [{ files: new Map(), directories: new Set() }];
  /** The upload that holds the newest version open, and the files it has added. */
  open: { upload: string; brought: Set<ModelFile> } | undefined;

  get now(): State {
    return this.versions.at(-1) ?? { files: new Map(), directories: new Set() };
  }

  next(): State {
    this.open = undefined;
    const state = { files: new Map(this.now.files), directories: new Set(this.now.directories) };
    this.versions.push(state);
    return state;
  }
}

/** Folders with the number and size of the files in them. */
export function foldersOf({ files, directories }: State): Map<string, { count: number; size: number }> {
  const folders = new Map<string, { count: number; size: number }>();
  for (const path of directories)
    for (const folder of [...ancestorsOf(path), path])
      folders.set(folder, folders.get(folder) ?? { count: 0, size: 0 });
  for (const { path, size } of files.values())
    for (const folder of ancestorsOf(path)) {
      const { count, size: sum } = folders.get(folder) ?? { count: 0, size: 0 };
      folders.set(folder, { count: count + 1, size: sum + size });
    }
  return folders;
}

function canHold(state: State, path: string): boolean {
  return !foldersOf(state).has(path) && !ancestorsOf(path).some((folder) => state.files.has(folder));
}

function freeName(state: State, path: string): string {
  const dot = path.lastIndexOf('.');
  const cut = dot > path.lastIndexOf('/') + 1 ? dot : path.length;
  for (let number = 1; ; number++) {
    const name = `${path.slice(0, cut)} (${number})${path.slice(cut)}`;
    if (!state.files.has(name) && !foldersOf(state).has(name)) return name;
  }
}

export const byBytes = (left: { path: string }, right: { path: string }): number =>
  Buffer.compare(Buffer.from(left.path), Buffer.from(right.path));

/** Stores the row of an active upload, which is all that a commit checks of it. */
export async function insertUploadOf(db: Database, datasetId: string, name: string): Promise<void> {
  const now = systemClock.now().toISOString();
  const row = uploadRow({
    id: `${datasetId} ${name}`,
    dataset_id: datasetId,
    total_file_num: 1_000,
    total_size_bytes: 0,
    created_at: now,
    active_at: now,
  });
  await db.write((tx) => insertUpload(tx, row));
}

/** Takes a step of a history, in the service and in its model. */
export async function applyStep(
  db: Database,
  commits: FileCommits,
  datasetId: string,
  model: Model,
  step: Step,
): Promise<void> {
  const options = { datasetId, by: 'ann' };
  const list = [...model.now.files.values()].toSorted(byBytes);
  const pick = (at: number): ModelFile | undefined => (list.length === 0 ? undefined : list[at % list.length]);
  switch (step.kind) {
    case 'add': {
      const given = step.files.map((file) => ({ ...file, originalName: file.path, blobId: null }));
      const upload =
        step.upload === undefined ? undefined : { id: `${datasetId} ${step.upload}`, staysOpen: () => step.staysOpen };
      const commit = { ...options, onConflict: step.onConflict };
      const ending = step.inSlices && upload === undefined ? step.ending : undefined;
      const endingIds = typeof ending === 'object' ? ending.flatMap((at) => pick(at)?.id ?? []) : [];
      const { outcomes, version } = await db.write((tx) =>
        step.inSlices
          ? addInSlices(commits, tx, commit, given, {
              upload,
              ...(ending === 'all' ? { ending: { prefix: '' } } : {}),
              ...(endingIds.length > 0 ? { ending: { fileIds: inOrder([endingIds]) } } : {}),
            })
          : commits.add(tx, { ...commit, files: given, ...(upload === undefined ? {} : { upload }) }),
      );
      const state = { files: new Map(model.now.files), directories: new Set(model.now.directories) };
      const size = (): number => state.files.size + state.directories.size;
      const sizeBefore = size();
      if (ending === 'all') state.directories.clear();
      for (const [path, { id }] of state.files)
        if (ending === 'all' || endingIds.includes(id)) state.files.delete(path);
      const hasEnded = size() < sizeBefore;
      const goesOn =
        step.upload !== undefined &&
        model.open?.upload === step.upload &&
        // Later files of an upload don't erase its earlier ones.
        (step.onConflict !== 'REPLACE' ||
          !step.files.some(({ path }) => model.open?.brought.has(state.files.get(path) as ModelFile)));
      const brought = goesOn ? (model.open?.brought ?? new Set<ModelFile>()) : new Set<ModelFile>();
      let added = 0;
      for (const [index, file] of step.files.entries()) {
        const outcome = outcomes[index] ?? assert.fail('an outcome is missing');
        const holder = state.files.get(file.path);
        let path: string | undefined = file.path;
        if (!canHold(state, path) || (holder !== undefined && step.onConflict === 'ERROR')) path = undefined;
        else if (holder !== undefined && step.onConflict === 'RENAME') path = freeName(state, path);
        assert.equal(outcome.kind === 'added' ? outcome.file.path : undefined, path);
        if (path === undefined || outcome.kind !== 'added') continue;
        added++;
        const kept = state.files.get(path)?.id;
        if (kept !== undefined) assert.equal(outcome.file.file_id, kept, 'a replaced file keeps its id');
        const stored = { id: outcome.file.file_id, path, size: file.sizeBytes, status: file.status };
        state.files.set(path, stored);
        brought.add(stored);
      }
      if (added > 0 || hasEnded) {
        if (goesOn) model.versions[model.versions.length - 1] = state;
        else model.versions.push(state);
        model.open = step.upload === undefined || !step.staysOpen ? undefined : { upload: step.upload, brought };
      }
      assert.equal(version, model.versions.length);
      return;
    }
    case 'close':
      await db.write((tx) => commits.closeVersion(tx, datasetId, model.versions.length));
      model.open = undefined;
      return;
    case 'end': {
      const fileIds = [...new Set(step.picks.flatMap((at) => pick(at)?.id ?? []))];
      const result = await db.write((tx) => commits.end(tx, { ...options, fileIds, purge: step.purge }));
      assert.equal(result.endedFiles, fileIds.length);
      if (fileIds.length > 0) endInModel(model, (file) => fileIds.includes(file.id), step.purge);
      return;
    }
    case 'endFolder': {
      const folders = [...foldersOf(model.now).keys()].sort();
      const path = folders.length === 0 ? undefined : folders[step.pick % folders.length];
      if (path === undefined) return;
      await db.write((tx) => commits.endDirectory(tx, { ...options, path, purge: step.purge }));
      const below = (other: string): boolean => other === path || other.startsWith(`${path}/`);
      endInModel(model, (file) => below(file.path), step.purge);
      for (const directory of model.now.directories) if (below(directory)) model.now.directories.delete(directory);
      return;
    }
    case 'move': {
      const file = pick(step.pick);
      if (file === undefined || file.path === step.path) return;
      const rest = { files: new Map(model.now.files), directories: model.now.directories };
      rest.files.delete(file.path);
      const possible = canHold(rest, step.path) && !rest.files.has(step.path);
      const moving = db.write((tx) => commits.move(tx, { ...options, fileId: file.id, path: step.path }));
      if (!possible) {
        await assert.rejects(moving, AppError);
        return;
      }
      await moving;
      const state = model.next();
      state.files.delete(file.path);
      state.files.set(step.path, { ...file, path: step.path });
      return;
    }
    case 'directory': {
      const creating = db.write((tx) => commits.createDirectory(tx, { ...options, path: step.path }));
      if (!canHold(model.now, step.path) || model.now.files.has(step.path)) {
        await assert.rejects(creating, AppError);
        return;
      }
      await creating;
      model.next().directories.add(step.path);
      return;
    }
    case 'status': {
      const file = pick(step.pick);
      if (file === undefined) return;
      await db.write((tx) => commits.setStatus(tx, { datasetId, fileId: file.id, status: step.status }));
      // Without a new version: every version that has this state of the file shows the new status.
      for (const { files } of model.versions)
        for (const [path, other] of files)
          if (other === file) files.set(path, Object.assign(file, { status: step.status }));
      return;
    }
  }
}

async function addInSlices(
  commits: FileCommits,
  tx: Tx,
  options: CommitOptions,
  files: readonly NewFile[],
  { upload, ...ending }: { upload: CommitUpload | undefined; ending?: ReplacedContent },
): Promise<{ outcomes: AddOutcome[]; version: number }> {
  const outcomes: AddOutcome[] = [];
  async function* slices() {
    for (let at = 0; at < files.length; at += 5) yield files.slice(at, at + 5);
  }
  async function* paths() {
    for await (const slice of slices()) yield slice.map((file) => file.path);
  }
  const commit = {
    ...options,
    ...ending,
    slices: slices(),
    ...(upload === undefined ? {} : { upload: { ...upload, paths } }),
  };
  const { version } = await commits.addAll(tx, commit, (outcome) => outcomes.push(outcome));
  return { outcomes, version };
}

async function* inOrder<Value>(values: readonly Value[]): AsyncGenerator<Value> {
  yield* values;
}

function endInModel(model: Model, ends: (file: ModelFile) => boolean, purge: boolean): void {
  const ids = new Set([...model.now.files.values()].filter(ends).map((file) => file.id));
  const state = model.next();
  for (const version of purge ? model.versions : [state])
    for (const [path, file] of version.files) if (ids.has(file.id)) version.files.delete(path);
}

import { errors } from '../../kernel/errors.ts';
import { toPage, type Page } from '../../kernel/page.ts';
import { includesRole, type Role } from '../../kernel/principal.ts';
import { profileOf, profileSteps, recipeRunOf, SetupError, type Engine, type Recipe } from '../../engine/index.ts';
import type { Operator } from '../../operators/index.ts';
import { RunFailure, type Run, type Runs } from '../../runs/index.ts';
import type { Database, Tx } from '../../storage/database/database.ts';
import { refusingDuplicates } from '../../storage/database/sql.ts';
import { requireSource } from '../../tasks/index.ts';
import type { DatasetAccess } from '../data-management/index.ts';
import { cleaningErrors } from './errors.ts';
import {
  countPurges,
  currentOf,
  inputsOf,
  lockSources,
  nameSources,
  sourcesIn,
  walkPurged,
  type PinnedSources,
  type Source,
} from './sources.ts';
import type { CleaningProfile, ListedProfile, ProfileRequest, ProfileRun, ProfilesQuery } from './schemas/profiles.ts';
import { namedEncoding, parseInput, readInput, selectionOf, textFieldsOf, type StoredInput } from './task-input.ts';
import { checkTextColumns } from './text-columns.ts';
import type { TaskInput } from './schemas/inputs.ts';

/** Profiles the samples of a dataset: distributions of everything that operators measure or detect in a text. */
export type Profiles = {
  /**
   * Profiles random samples. Throws INVALID_PARAMETER, SOURCE_NOT_FOUND, SOURCE_VERSION_NOT_FOUND, PROFILE_REFUSED,
   * PROFILE_FAILED.
   */
  profile(request: ProfileRequest & { sample: NonNullable<ProfileRequest['sample']> }): Promise<CleaningProfile>;
  /** Starts a run over all samples. Throws FORBIDDEN, PROFILE_RUNNING and the errors of `profile`. */
  start(request: ProfileRequest, caller: { username: string; role: Role }): Promise<ProfileRun>;
  /** Runs over all samples of a dataset, newest first. */
  list(query: ProfilesQuery): Promise<Page<ListedProfile>>;
  /** Throws PROFILE_NOT_FOUND, like the methods below. */
  get(runId: string): Promise<ProfileRun>;
  /** Throws PROFILE_NOT_RUNNING. */
  stop(runId: string): Promise<ProfileRun>;
  /** Starts a run that continues one that failed or was stopped. Throws PROFILE_NOT_RESUMABLE, PROFILE_RUNNING. */
  resume(runId: string, by: string): Promise<ProfileRun>;
};

/** Area of the runs. Their task id is the dataset's id, so only one run at a time profiles a dataset. */
const area = 'data-cleaning/profiles';

type ProfileDetails = PinnedSources & { sourceDatasetId: string; sourceVersion: number; input: TaskInput };

export function createProfiles({
  db,
  datasets,
  engine,
  operators,
  runs,
}: {
  db: Database;
  datasets: DatasetAccess;
  engine: Engine;
  operators: readonly Operator[];
  runs: Runs;
}): Profiles {
  engine.registerProfiles(area, {
    async *inputs(run) {
      yield* inputsOf(datasets, db.scan, sourcesIn(detailsOf(run)), selectionOf(detailsOf(run).input));
    },
    async *purged(run) {
      const { purges, ...details } = detailsOf(run);
      yield* walkPurged(datasets, db.scan, { sources: sourcesIn(details), purges }, selectionOf(details.input));
    },
  });

  async function sourceOf(request: ProfileRequest): Promise<ProfileDetails> {
    const input = parseInput(request.input ?? {});
    const sources = currentOf(await nameSources((id) => datasets.find(db.read, id), request, input));
    await checkTextColumns({ db: db.scan, datasets, engine }, { sources, input });
    return pinnedOf(sources, input);
  }

  function recipeOf(input: TaskInput): Recipe {
    const steps = profileSteps(operators);
    return { steps, onError: 'SET_ASIDE', ...textFieldsOf(input), encoding: namedEncoding(input) };
  }

  async function enqueue(details: ProfileDetails, by: string, fromRunId: string | undefined): Promise<Run> {
    const { sourceDatasetId: id, input } = details;
    const sources = sourcesIn(details);
    const insert = async (tx: Tx): Promise<Run> => {
      const find = await lockSources(tx, datasets, details);
      for (const { datasetId, version } of sources) {
        requireSource(await find(datasetId), datasetId);
        // All shards must see the same files.
        await datasets.commit.closeVersion(tx, datasetId, version);
      }
      const ids = sources.map(({ datasetId }) => datasetId);
      // A resumed run keeps the counts from when the first run began.
      const purges = details.purges ?? (await countPurges(tx, datasets, ids));
      const newRun = {
        area,
        taskId: id,
        by,
        details: engine.detailsOf(recipeOf(input), { ...details, purges }),
        datasets: sources.map(({ datasetId, version }) => ({ datasetId, role: 'SOURCE' as const, version })),
      };
      return fromRunId === undefined ? runs.enqueue(tx, newRun) : runs.resume(tx, newRun, fromRunId);
    };
    const run = await refusingDuplicates(
      () => db.write(insert),
      (options) => cleaningErrors.PROFILE_RUNNING({ id }, options),
    );
    runs.wake();
    return run;
  }

  async function getRun(id: string): Promise<Run> {
    const run = (await runs.findRuns(db.read, [id])).get(id);
    if (run?.area !== area) throw cleaningErrors.PROFILE_NOT_FOUND({ id });
    return run;
  }

  async function show(run: Run): Promise<ProfileRun> {
    const stored = run.status === 'COMPLETED' ? await engine.findProfile(run.id) : undefined;
    if (stored === undefined) return listed(run);
    const { recipe } = recipeRunOf(run);
    const { labels, ...profile } = profileOf(operators, recipe.steps, stored.figures, stored.dropped);
    const { sourceVersion } = detailsOf(run);
    return {
      ...listed(run),
      profile: { sourceVersion, ...profile, total: profile.sampled, drawn: null, languages: languagesOf(labels) },
    };
  }

  return {
    async profile({ sample, ...request }) {
      const source = await sourceOf(request);
      const recipe = recipeOf(source.input);
      try {
        const { figures, dropped, drawn } = await engine.profile({
          ...recipe,
          ...sample,
          inputs: inputsOf(datasets, db.scan, sourcesIn(source), selectionOf(source.input)),
        });
        const { labels, ...profile } = profileOf(operators, recipe.steps, figures, dropped);
        const { from, total, isExact } = drawn;
        return {
          sourceVersion: source.sourceVersion,
          ...profile,
          total,
          drawn: { seed: sample.seed, from, total, isExact },
          languages: languagesOf(labels),
        };
      } catch (error) {
        if (error instanceof SetupError) throw cleaningErrors.PROFILE_REFUSED({ cause: error.reason });
        if (error instanceof RunFailure) throw cleaningErrors.PROFILE_FAILED({ cause: error.reason });
        throw error;
      }
    },

    async start(request, { username, role }) {
      if (!includesRole(role, 'EDITOR')) {
        throw errors.FORBIDDEN({ needed: 'the role EDITOR to read all samples; give `sample` for some of them' });
      }
      return show(await enqueue(await sourceOf(request), username, undefined));
    },

    async list(query) {
      const found = await runs.listRuns({ area, taskId: query.sourceDatasetId }, query);
      return toPage(found.runs.map(listed), query, found.total);
    },

    get: async (runId) => show(await getRun(runId)),

    async stop(id) {
      await getRun(id);
      if (!(await runs.stopRun(id))) throw cleaningErrors.PROFILE_NOT_RUNNING({ id });
      return show(await getRun(id));
    },

    async resume(id, by) {
      const run = await getRun(id);
      const { runs: newest } = await runs.listRuns({ area, taskId: run.taskId }, { page: 0, size: 1 });
      const isEnded = run.status === 'FAILED' || run.status === 'STOPPED';
      if (!isEnded || newest[0]?.id !== id) throw cleaningErrors.PROFILE_NOT_RESUMABLE({ id });
      return show(await enqueue(detailsOf(run), by, id));
    },
  };
}

function pinnedOf(sources: readonly Source[], input: TaskInput): ProfileDetails {
  const [main, ...moreSources] = sources;
  if (main === undefined) throw new RangeError('A profile has a source');
  const more = moreSources.length === 0 ? {} : { sourceFolder: main.folder, moreSources };
  return { sourceDatasetId: main.datasetId, sourceVersion: main.version, ...more, input };
}

function detailsOf(run: Run): ProfileDetails {
  const { input, ...others } = recipeRunOf(run).areaDetails as Omit<ProfileDetails, 'input'> & { input: StoredInput };
  return { ...others, input: readInput(input) };
}

function listed(run: Run): ListedProfile {
  const { sourceDatasetId, sourceVersion, input } = detailsOf(run);
  return { run, sourceDatasetId, sourceVersion, input };
}

function languagesOf(labels: ReturnType<typeof profileOf>['labels']): CleaningProfile['languages'] {
  return labels.find(({ label }) => label === 'language')?.shares ?? [];
}

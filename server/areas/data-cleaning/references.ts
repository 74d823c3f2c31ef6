import type { Engine, OpenReference, Step } from '../../engine/index.ts';
import { AppError, invalid } from '../../kernel/errors.ts';
import { parameterProblems } from '../../kernel/parameter-problems.ts';
import { parsePrefix } from '../../kernel/file-path.ts';
import { runSentences } from '../../kernel/sentences/index.ts';
import { findReferencesParam, referencesOf, type DatasetReference, type Operator } from '../../operators/index.ts';
import { RunFailure, type RunDataset } from '../../runs/index.ts';
import type { Database, Tx } from '../../storage/database/database.ts';
import type { DatasetAccess } from '../data-management/index.ts';
import type { Models } from '../../models/index.ts';
import { cleaningErrors } from './errors.ts';
import { inputOf } from './source-files.ts';
import type { PinnedSources } from './sources.ts';
import { checkStepModels } from './step-models.ts';
import { parseInput } from './task-input.ts';
import { checkTextColumns } from './text-columns.ts';

/** A dataset that a step refers to, and where the step names it. */
type Named = { step: number; number: number; param: string; field: string; reference: DatasetReference };

/** The datasets that the steps refer to, in order. */
function listNamed(operators: readonly Operator[], steps: readonly Step[]): Named[] {
  return steps.flatMap(({ operatorId, params }, step) => {
    const schema = operators.find(({ id }) => id === operatorId)?.params;
    const param = schema === undefined ? undefined : findReferencesParam(schema);
    if (schema === undefined || param === undefined) return [];
    return referencesOf(schema, params).map((reference, number) => {
      return { step, number, param, field: `steps[${step}].params.${param}[${number}]`, reference };
    });
  });
}

/** The datasets that steps compare with, and the models that they call. */
export type StepReferences = {
  /**
   * Checks that the datasets exist in the named version, that the text columns of their tables can be found, and that
   * the models exist and can answer. Throws INVALID_PARAMETER naming step and field. Reads files, so don't call it in a
   * transaction.
   */
  check(steps: readonly Step[]): Promise<void>;
  /** Checks the references and returns the steps with current versions filled in. */
  resolve(steps: readonly Step[]): Promise<Step[]>;
  /**
   * Returns the steps of a run with pinned versions, and the datasets, locked against deletion until the transaction
   * ends. A resumed run keeps the versions of the `earlier` one. Throws REFERENCE_NOT_FOUND.
   */
  pin(
    tx: Tx,
    steps: readonly Step[],
    earlier: readonly Step[] | undefined,
  ): Promise<{ steps: Step[]; datasets: RunDataset[] }>;
  /**
   * Refuses a target that a step compares with, since the second run would drop everything: throws INVALID_PARAMETER.
   */
  refuseTarget(steps: readonly Step[], targetId: string | null): void;
  /** Paths of referenced files purged since a run with these steps began, prefixed with the dataset's name. */
  walkPurged(steps: readonly Step[], purges: PinnedSources['purges']): AsyncGenerator<string[]>;
  /** Opens the files of a referenced dataset. Throws RunFailure if it was deleted. */
  open: OpenReference;
};

export function createReferences({
  db,
  datasets,
  engine,
  models,
  operators,
}: {
  db: Pick<Database, 'read' | 'scan'>;
  datasets: DatasetAccess;
  engine: Pick<Engine, 'findTextField' | 'findMissingField'>;
  models: Pick<Models, 'registry'>;
  operators: readonly Operator[];
}): StepReferences {
  /** Checks the references and returns the current versions of the datasets. */
  async function checked(named: readonly Named[]): Promise<Map<string, number>> {
    const current = new Map<string, number>();
    const given = namedVersions(named);
    for (const { field, reference } of named) {
      const { datasetId, prefix = '', field: column } = reference;
      const dataset = await datasets.find(db.read, datasetId);
      if (dataset === undefined)
        throw invalid(
          `${field}.datasetId`,
          parameterProblems.NAMES_NO_DATASET.reason({ id: JSON.stringify(datasetId) }),
        );
      const first = given.get(datasetId);
      const version = reference.version ?? first ?? dataset.version;
      if ((reference.version ?? 0) > dataset.version) {
        throw invalid(
          `${field}.version`,
          parameterProblems.MUST_BE_EXISTING_VERSION.reason({ limit: dataset.version, dataset: dataset.name }),
        );
      }
      if (first !== undefined && version !== first) {
        throw invalid(`${field}.version`, parameterProblems.MUST_BE_SAME_VERSION.reason({ version: first }));
      }
      current.set(datasetId, dataset.version);
      parsePrefix(`${field}.prefix`, prefix);
      const textFields = column === undefined ? [] : [{ files: '**', field: column }];
      try {
        const input = parseInput({ prefix, textFields });
        const sources = [{ datasetId, version, prefix: input.prefix, folder: '' }];
        await checkTextColumns({ db: db.scan, datasets, engine }, { sources, input });
      } catch (error) {
        throw atField(error, `${field}.field`);
      }
    }
    return current;
  }

  return {
    async check(steps) {
      await checkStepModels(models.registry, operators, steps);
      await checked(listNamed(operators, steps));
    },

    async resolve(steps) {
      await checkStepModels(models.registry, operators, steps);
      const named = listNamed(operators, steps);
      const current = await checked(named);
      return withVersions(steps, named, ({ reference }) => current.get(reference.datasetId));
    },

    async pin(tx, steps, earlier = []) {
      const named = listNamed(operators, steps);
      const before = listNamed(operators, earlier);
      const current = new Map<string, number>();
      // All callers lock in the same order, so that they cannot deadlock.
      for (const id of [...new Set(named.map(({ reference }) => reference.datasetId))].toSorted()) {
        const dataset = await datasets.lock(tx, id);
        const step = named.find(({ reference }) => reference.datasetId === id)?.step ?? 0;
        if (dataset === undefined) throw cleaningErrors.REFERENCE_NOT_FOUND({ step: step + 1, id });
        current.set(id, dataset.version);
      }
      const pinned = withVersions(steps, named, ({ field, reference: { datasetId } }) => {
        const same = before.find((one) => one.field === field && one.reference.datasetId === datasetId);
        return same?.reference.version ?? current.get(datasetId);
      });
      const found = new Map<string, RunDataset>();
      for (const { reference } of listNamed(operators, pinned)) {
        const { datasetId, version = 1 } = reference;
        // All shards must see the same files.
        await datasets.commit.closeVersion(tx, datasetId, version);
        if (!found.has(datasetId)) found.set(datasetId, { datasetId, role: 'REFERENCE', version });
      }
      return { steps: pinned, datasets: [...found.values()] };
    },

    refuseTarget(steps, targetId) {
      const own = listNamed(operators, steps).find(({ reference }) => reference.datasetId === targetId);
      if (own === undefined) return;
      throw invalid(`${own.field}.datasetId`, parameterProblems.MUST_NOT_BE_TARGET.reason({}));
    },

    async *walkPurged(steps, purges = {}) {
      for (const { reference } of listNamed(operators, steps)) {
        const { datasetId, version, prefix = '' } = reference;
        const known = purges[datasetId];
        const dataset = await datasets.find(db.read, datasetId);
        if (known === undefined || version === undefined || dataset === undefined) continue;
        const selection = { datasetId, version, prefix: parsePrefix('prefix', prefix), fileTypes: [] };
        for await (const paths of datasets.walkPurged(db.scan, selection, known))
          yield paths.map((path) => `${dataset.name}/${path}`);
      }
    },

    async open({ datasetId, version, prefix = '' }) {
      const dataset = await datasets.find(db.read, datasetId);
      if (dataset === undefined) throw new RunFailure(runSentences.REFERENCE_DELETED.reason({ id: datasetId }));
      const selection = {
        datasetId,
        version: version ?? dataset.version,
        prefix: parsePrefix('prefix', prefix),
        fileTypes: [],
      };
      async function* files() {
        for await (const slice of datasets.walkFiles(db.scan, selection)) yield slice.map(inputOf);
      }
      return { name: dataset.name, files: files() };
    },
  };
}

/** Fills in the version of each referenced dataset; versions named in a step stay. */
function withVersions(
  steps: readonly Step[],
  named: readonly Named[],
  versionOf: (named: Named) => number | undefined,
): Step[] {
  const given = namedVersions(named);
  return steps.map((step, index) => {
    const own = named.filter((one) => one.step === index);
    const [first] = own;
    if (first === undefined) return step;
    const references = own.map((one) => {
      return { ...one.reference, version: given.get(one.reference.datasetId) ?? versionOf(one) };
    });
    return { ...step, params: { ...step.params, [first.param]: references } };
  });
}

/** The versions that steps name, by dataset; the first one wins. */
function namedVersions(named: readonly Named[]): Map<string, number> {
  const versions = new Map<string, number>();
  for (const { reference } of named) {
    const { datasetId, version } = reference;
    if (version !== undefined && !versions.has(datasetId)) versions.set(datasetId, version);
  }
  return versions;
}

/** Attributes the problem of a table's text column to the field of the reference. */
function atField(error: unknown, field: string): unknown {
  if (!(error instanceof AppError) || error.code !== 'INVALID_PARAMETER') return error;
  const { problem } = error.values;
  return typeof problem === 'object' ? invalid(field, problem) : error;
}

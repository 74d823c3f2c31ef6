import { join } from 'node:path';
import { isoNow, type Clock } from '../kernel/clock.ts';
import { invalid } from '../kernel/errors.ts';
import { parameterProblems } from '../kernel/parameter-problems.ts';
import { newId } from '../kernel/ids.ts';
import type { Outgoing } from '../outgoing/index.ts';
import type { Secrets } from '../secrets/index.ts';
import type { Database } from '../storage/database/database.ts';
import type { ModelsTable } from '../storage/database/tables/models.ts';
import { modelErrors } from './errors.ts';
import { builtInModels, findBuiltIn, type Model, type ModelKind, type ModelLimits, type Prices } from './model.ts';
import { createOnnxProvider, onnxPrefix } from './providers/onnx.ts';
import type { Provider } from './providers/provider.ts';
import { deleteModel, findModel, insertModel, listModels, lockModel, updateModel } from './queries/models.ts';

export type ModelDefinition = {
  name: string;
  kind: ModelKind;
  provider: Model['provider'];
  baseUrl: string | null;
  model: string;
  prices: Prices | null;
  limits: ModelLimits;
};

/** The models that an administrator configured, with their keys, and the built-in ones. */
export type ModelRegistry = {
  /** The built-in ones first, then the newest. */
  list(filter: { kind?: ModelKind | undefined; keyword?: string | undefined }): Promise<Model[]>;
  /** By id, or by the name of a built-in one. Throws MODEL_NOT_FOUND. */
  get(reference: string): Promise<Model>;
  /** Names by id, or by name of built-in ones; without those that do not exist. */
  findNames(references: readonly string[]): Promise<Map<string, string>>;
  /** `apiKey` undefined or '': no key. */
  create(definition: ModelDefinition, apiKey: string | undefined, by: string): Promise<Model>;
  /**
   * `apiKey` undefined: keeps the key, so the origin of `baseUrl` must not change; '': removes it. Throws
   * MODEL_NOT_FOUND, MODEL_BUILT_IN, INVALID_PARAMETER.
   */
  update(
    id: string,
    change: (before: Model) => ModelDefinition,
    apiKey: string | undefined,
    by: string,
  ): Promise<Model>;
  remove(id: string): Promise<void>;
  /** A model with its provider. Throws MODEL_NOT_FOUND, SECRET_UNREADABLE. */
  open(reference: string): Promise<{ model: Model; provider: Provider }>;
};

const secretKind = 'model';
const keyField = 'apiKey';
/** How long a model is cached, and so used unchanged after an update in another process. */
const rememberMs = 2_000;

export function createModelRegistry(options: {
  db: Database;
  clock: Clock;
  secrets: Secrets;
  outgoing: Pick<Outgoing, 'exchange'>;
  /** The provider of the built-in models. */
  builtInProvider: Provider;
  modelsDirectory: string;
}): ModelRegistry {
  const { db, clock, secrets, outgoing, builtInProvider, modelsDirectory } = options;
  const opened = new Map<string, { model: Model; provider: Provider; readAt: number; stamp: string }>();

  async function find(reference: string): Promise<Model> {
    const builtIn = findBuiltIn(reference);
    if (builtIn !== undefined) return builtIn;
    const row = await findModel(db.read, reference);
    if (row === undefined) throw modelErrors.MODEL_NOT_FOUND({ id: reference });
    const withKey = await secrets.listOwners(secretKind, keyField);
    return toModel(row, withKey.has(row.id));
  }

  async function providerOf(model: Model): Promise<Provider> {
    if (model.builtIn) return builtInProvider;
    if (model.provider === 'builtin')
      return createOnnxProvider({ modelsDirectory, folder: model.model.slice(onnxPrefix.length) });
    // Loaded on first use: the client takes a tenth of the service's startup time.
    const { createOpenAiCompatible } = await import('./providers/openai-compatible.ts');
    return createOpenAiCompatible({
      baseUrl: model.baseUrl ?? '',
      model: model.model,
      apiKey: model.hasSecret ? await secrets.find({ kind: secretKind, id: model.id, field: keyField }) : undefined,
      exchange: outgoing.exchange,
    });
  }

  function refuseBuiltIn(id: string): void {
    if (findBuiltIn(id) !== undefined) throw modelErrors.MODEL_BUILT_IN({ id });
  }

  return {
    async list(filter) {
      const builtIn = builtInModels.filter(
        ({ kind, name }) =>
          (filter.kind === undefined || kind === filter.kind) && name.includes(filter.keyword?.toLowerCase() ?? ''),
      );
      const withKey = await secrets.listOwners(secretKind, keyField);
      const rows = await listModels(db.read, { ...filter, keyword: filter.keyword?.toLowerCase() });
      return [...builtIn, ...rows.map((row) => toModel(row, withKey.has(row.id)))];
    },

    get: find,

    async findNames(references) {
      const wanted = new Set(references);
      const names = new Map<string, string>();
      for (const { id, name } of await listModels(db.read, {})) if (wanted.has(id)) names.set(id, name);
      for (const reference of wanted) {
        const builtIn = findBuiltIn(reference);
        if (builtIn !== undefined) names.set(reference, builtIn.name);
      }
      return names;
    },

    async create(definition, apiKey = '', by) {
      const id = newId();
      const now = isoNow(clock);
      await db.write(async (tx) => {
        await insertModel(tx, {
          id,
          ...toColumns(definition),
          created_at: now,
          created_by: by,
          updated_at: now,
          updated_by: by,
        });
        if (apiKey !== '') await secrets.put(tx, { kind: secretKind, id, field: keyField }, apiKey);
      });
      return find(id);
    },

    async update(id, change, apiKey, by) {
      refuseBuiltIn(id);
      await db.write(async (tx) => {
        const row = await lockModel(tx, id);
        if (row === undefined) throw modelErrors.MODEL_NOT_FOUND({ id });
        const definition = change(toModel(row, true));
        // A key was given for one origin: it must not be sent to another without the administrator's consent.
        const moves = definition.baseUrl !== null && originOf(definition.baseUrl) !== originOf(row.base_url);
        if (moves && apiKey === undefined && (await secrets.has(tx, { kind: secretKind, id, field: keyField })))
          throw invalid('apiKey', parameterProblems.MUST_REPEAT_SECRET.reason({}));
        await updateModel(tx, id, { ...toColumns(definition), updated_at: isoNow(clock), updated_by: by });
        if (apiKey === '') await secrets.remove(tx, secretKind, id, keyField);
        else if (apiKey !== undefined) await secrets.put(tx, { kind: secretKind, id, field: keyField }, apiKey);
      });
      opened.delete(id);
      return find(id);
    },

    async remove(id) {
      refuseBuiltIn(id);
      await db.write(async (tx) => {
        if ((await lockModel(tx, id)) === undefined) throw modelErrors.MODEL_NOT_FOUND({ id });
        await secrets.remove(tx, secretKind, id);
        await deleteModel(tx, id);
      });
      opened.delete(id);
    },

    async open(reference) {
      const known = opened.get(reference);
      if (known !== undefined && performance.now() - known.readAt < rememberMs) return known;
      const model = await find(reference);
      // The row's stamp changes with its key, so a client is reused until the model changes.
      const stamp = JSON.stringify([model.updatedAt, model.hasSecret]);
      const provider = known?.stamp === stamp ? known.provider : await providerOf(model);
      const entry = { model, provider, readAt: performance.now(), stamp };
      opened.set(reference, entry);
      return entry;
    },
  };
}

/** The folder of local models. */
export function modelsDirectoryOf(dataDirectory: string): string {
  return join(dataDirectory, 'models');
}

function originOf(baseUrl: string | null): string | undefined {
  return baseUrl === null ? undefined : URL.parse(baseUrl)?.origin;
}

function toColumns({ name, kind, provider, baseUrl, model, prices, limits }: ModelDefinition) {
  return {
    name,
    kind,
    provider,
    base_url: baseUrl,
    model,
    prices: prices === null ? null : JSON.stringify(prices),
    limits: JSON.stringify(limits),
  };
}

function toModel(row: ModelsTable, hasSecret: boolean): Model {
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    provider: row.provider,
    baseUrl: row.base_url,
    model: row.model,
    hasSecret,
    prices: row.prices === null ? null : (JSON.parse(row.prices) as Prices),
    limits: JSON.parse(row.limits) as ModelLimits,
    builtIn: false,
    createdAt: row.created_at,
    createdBy: row.created_by,
    updatedAt: row.updated_at,
    updatedBy: row.updated_by,
  };
}

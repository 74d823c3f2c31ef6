import { invalid } from '../../kernel/errors.ts';
import { parameterProblems } from '../../kernel/parameter-problems.ts';
import { slicePage, type Page } from '../../kernel/page.ts';
import { parseName } from '../../kernel/text-fields.ts';
import { onnxPrefix, type Model, type ModelDefinition, type Models, type ModelUsage } from '../../models/index.ts';
import { codedReason } from '../../kernel/sentences/index.ts';
import type { ModelChanges, ModelsQuery, ModelTestView, ModelView, NewModel } from './schemas/models.ts';

/** Lists and changes models, for administrators. */
export type ModelSettings = {
  /** Built-in models first, then the newest. */
  list(query: ModelsQuery): Promise<Page<ModelView>>;
  /** Throws INVALID_PARAMETER, SECRETS_KEY_MISSING. */
  create(model: NewModel, by: string): Promise<ModelView>;
  /** Throws MODEL_NOT_FOUND, as do all methods that take an id. */
  get(id: string): Promise<ModelView>;
  /** Throws MODEL_BUILT_IN. Omitted fields keep their values. */
  update(id: string, changes: ModelChanges, by: string): Promise<ModelView>;
  /** Throws MODEL_BUILT_IN. */
  remove(id: string): Promise<void>;
  /** Makes one tiny call and returns its result. */
  test(id: string): Promise<ModelTestView>;
  usage(id: string): Promise<ModelUsage>;
};

export function createModelSettings({ models }: { models: Models }): ModelSettings {
  const { registry } = models;
  return {
    async list(query) {
      return slicePage((await registry.list(query)).map(toView), query);
    },
    async create({ apiKey, ...model }, by) {
      const definition = define({ baseUrl: null, prices: null, limits: {}, ...model });
      return toView(await registry.create(definition, parseKey(apiKey), by));
    },
    get: async (id) => toView(await registry.get(id)),
    async update(id, { apiKey, ...changes }, by) {
      return toView(await registry.update(id, (before) => define({ ...before, ...changes }), parseKey(apiKey), by));
    },
    remove: (id) => registry.remove(id),
    async test(id) {
      const { message, ...result } = await models.test(id);
      return { ...result, ...codedReason('message', message) };
    },
    usage: (id) => models.usage(id),
  };
}

function define({ name, kind, provider, baseUrl, model, prices, limits }: ModelDefinition): ModelDefinition {
  const called = parseName('model', model, 200);
  const definition = { name: parseName('name', name, 100), kind, provider, model: called, prices, limits };
  if (provider === 'openai-compatible') return { ...definition, baseUrl: parseBaseUrl(baseUrl) };
  if (!called.startsWith(onnxPrefix))
    throw invalid('model', parameterProblems.MUST_BEGIN_WITH_PREFIX.reason({ prefix: onnxPrefix }));
  if (!/^[\w][\w.-]{0,99}$/.test(called.slice(onnxPrefix.length)))
    throw invalid('model', parameterProblems.MUST_NAME_MODEL_FOLDER.reason({ prefix: onnxPrefix }));
  if (kind !== 'EMBEDDING') throw invalid('kind', parameterProblems.MUST_BE_EMBEDDING.reason({}));
  return { ...definition, baseUrl: null };
}

/** Removes a final slash. A key in the URL would be stored and shown in plain text, so it is refused. */
function parseBaseUrl(text: string | null): string {
  if (text === null || text.trim() === '')
    throw invalid('baseUrl', parameterProblems.IS_REQUIRED_FOR_PROVIDER.reason({}));
  const url = URL.parse(text.trim());
  if (url === null && /^https?:\/\/./i.test(text.trim()))
    throw invalid('baseUrl', parameterProblems.HAS_IMPOSSIBLE_HOST.reason({}));
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:') || text.length > 2000)
    throw invalid('baseUrl', parameterProblems.MUST_BE_HTTP_URL.reason({}));
  if (url.username !== '' || url.password !== '')
    throw invalid('baseUrl', parameterProblems.MUST_NOT_HOLD_CREDENTIALS.reason({}));
  if (url.search !== '' || url.hash !== '') throw invalid('baseUrl', parameterProblems.MUST_HAVE_NO_QUERY.reason({}));
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

/** Checks that the key fits into a header. Undefined: unchanged. */
function parseKey(key: string | null | undefined): string | undefined {
  if (key === null || key === undefined) return undefined;
  const trimmed = key.trim();
  if (!/^[\x21-\x7e]{0,4000}$/.test(trimmed)) throw invalid('apiKey', parameterProblems.MUST_BE_ASCII_KEY.reason({}));
  return trimmed;
}

function toView(model: Model): ModelView {
  return { ...model, apiKey: null };
}

import { setTimeout } from 'node:timers/promises';
import { AppError } from '../../kernel/errors.ts';
import { reasonOf } from '../../kernel/reasoned-error.ts';
import { capitalized, codedReason, type SentenceParams, rewritten } from '../../kernel/sentences/index.ts';
import { slicePage, type Page } from '../../kernel/page.ts';
import { collectionSentences } from './sentences.ts';
import { connectors, cutSample, SourceError, type Connector, type Effects } from '../../connectors/index.ts';
import { OutgoingError, type Outgoing } from '../../outgoing/index.ts';
import { redact, redactAll, type Secrets } from '../../secrets/index.ts';
import type { Database } from '../../storage/database/database.ts';
import type { Tasks } from '../../tasks/index.ts';
import type { CollectionDefinition } from './definition.ts';
import { collectionErrors } from './errors.ts';
import type { ConnectorTest, ConnectorTestResult, ConnectorView } from './schemas/connectors.ts';
import type { CollectionFields, NewCollectionTask, PageOnlyQuery } from './schemas/tasks.ts';
import { findConnector, secretTextsOf, testedConfig } from './source-config.ts';

/** The connectors, and tests of their configurations. */
export type Sources = {
  list(query: PageOnlyQuery): Page<ConnectorView>;
  /**
   * Connects to a source and lists a sample; writes nothing; ends when `gone` is aborted. Throws CONNECTOR_NOT_FOUND,
   * INVALID_PARAMETER, TASK_NOT_FOUND.
   */
  test(type: string, given: ConnectorTest, gone?: AbortSignal): Promise<ConnectorTestResult>;
};

const testMs = 60_000;

export function createSources({
  db,
  secrets,
  outgoing,
  roots,
  scratchDirectory,
  tasks,
}: {
  db: Database;
  secrets: Pick<Secrets, 'find'>;
  outgoing: Effects['outgoing'];
  roots: readonly string[];
  scratchDirectory: string;
  tasks: Pick<Tasks<NewCollectionTask, CollectionDefinition, CollectionFields>, 'get' | 'lock'>;
}): Sources {
  async function taskOf(id: string | undefined) {
    if (id === undefined) return undefined;
    // Throws if there is no such task.
    await tasks.get(id);
    const task = await db.write((tx) => tasks.lock(tx, id));
    return task === undefined ? undefined : { id, source: task.definition.connector };
  }

  async function check(
    connector: Connector,
    config: Readonly<Record<string, unknown>>,
    gone: AbortSignal | undefined,
  ): Promise<ConnectorTestResult> {
    const late = AbortSignal.timeout(testMs);
    const signal = gone === undefined ? late : AbortSignal.any([late, gone]);
    const hidden = secretTextsOf(connector, config);
    try {
      const { message, sample } = await connector.check(
        config,
        effectsOf({ outgoing, roots, scratchDirectory, signal }),
      );
      // A source may echo the secrets that it was sent.
      const shown = redactAll(cutSample(sample), hidden) as Record<string, unknown>[];
      return {
        ok: true,
        ...codedReason(
          'message',
          rewritten(message, (text) => redact(text, hidden)),
        ),
        sample: shown,
      };
    } catch (error) {
      if (signal.aborted) {
        const silent = collectionSentences.SOURCE_SILENT.reason({ seconds: testMs / 1000 });
        return { ok: false, ...codedReason('message', silent), sample: [] };
      }
      if (!(error instanceof SourceError) && !(error instanceof OutgoingError)) throw error;
      const { text, sentence } = capitalized(error.reason);
      const params = redactAll(sentence?.params ?? {}, hidden) as SentenceParams;
      const reason = { text: redact(text, hidden), sentence: sentence && { ...sentence, params } };
      return { ok: false, ...codedReason('message', reason), sample: [] };
    }
  }

  return {
    list(query) {
      return slicePage(connectors.map(toConnector), query);
    },

    async test(type, { config, taskId }, gone) {
      const connector = findConnector(type);
      if (connector === undefined) throw collectionErrors.CONNECTOR_NOT_FOUND({ type });
      const task = await taskOf(taskId);
      let complete: Readonly<Record<string, unknown>>;
      try {
        complete = await testedConfig({ secrets, roots }, connector, config, task);
      } catch (error) {
        if (error instanceof AppError && error.code === 'SECRET_UNREADABLE')
          return { ok: false, ...codedReason('message', reasonOf(error)), sample: [] };
        throw error;
      }
      return check(connector, complete, gone);
    },
  };
}

/** The effects of a test, which has no log. */
function effectsOf({
  outgoing,
  roots,
  scratchDirectory,
  signal,
}: {
  outgoing: Pick<Outgoing, 'fetch' | 'exchange' | 'connect'>;
  roots: readonly string[];
  scratchDirectory: string;
  signal: AbortSignal;
}): Effects {
  return {
    outgoing,
    roots,
    scratchDirectory,
    signal,
    log: async () => {},
    journal: { items: 0, spent: undefined, async *notes() {}, spend: async () => {} },
    // A person is waiting: keep pauses short.
    pause: (ms) => setTimeout(Math.min(ms, 2000), undefined, { signal }),
  };
}

function toConnector({ type, name, description, config, secretFields, incremental }: Connector): ConnectorView {
  return { type, name, description, configSchema: { ...config }, secretFields: [...secretFields], incremental };
}

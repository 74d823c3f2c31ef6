import { completion, send, startProvider } from '../fakes/model-provider.ts';
import { startApp, type Ending, type RunningApp, type StartOptions } from './server.ts';

export type HeldModel = {
  service: RunningApp;
  modelId: string;
  /** Resolves when the model is called for the first time. */
  asked: Promise<void>;
  /** Lets the model reply. */
  release(): void;
};

/** A service with a model whose replies, scores of 4, are held back. */
export async function startWithHeldModel(t: Ending, { database }: Pick<StartOptions, 'database'>): Promise<HeldModel> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: asked, resolve: isAsked } = Promise.withResolvers<void>();
  const provider = await startProvider(t, async (_request, response) => {
    isAsked();
    await released;
    send(response, 200, completion('{"score": 4}'));
  });
  const service = await startApp(t, {
    ...(database === undefined ? {} : { database }),
    settings: { TILTH_OUTGOING_ALLOW: '127.0.0.1' },
  });
  const { body: model } = await service.api<{ data: { id: string } }>('POST', '/settings/models', {
    name: 'Chat',
    kind: 'CHAT',
    provider: 'openai-compatible',
    baseUrl: provider.baseUrl,
    model: 'm',
  });
  return { service, modelId: model.data.id, asked, release };
}

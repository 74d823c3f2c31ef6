import { callerGone } from '../../http/caller-gone.ts';
import type { AreaRoutes } from '../../http/routes.ts';
import type { ChunkingPreviews } from './chunking-preview.ts';
import { ChunkingPreviewBody, ChunkingPreviewSchema } from './schemas/chunks.ts';
import { KnowledgeBaseParams } from './schemas/knowledge-bases.ts';

const tags = ['Knowledge bases'];

/** Chunking previews. */
export function chunkingRoutes({ previews }: { previews: ChunkingPreviews }): AreaRoutes {
  return (app) => {
    app.post(
      '/knowledge-bases/:knowledgeBaseId/chunking/preview',
      {
        bodyLimit: 1024 * 1024,
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'previewChunking',
          summary: 'Preview the chunks of a text or a document; stores nothing',
          tags,
          params: KnowledgeBaseParams,
          body: ChunkingPreviewBody,
          response: { 200: ChunkingPreviewSchema },
        },
      },
      (request, reply) => previews.preview(request.params.knowledgeBaseId, request.body, callerGone(reply)),
    );
  };
}

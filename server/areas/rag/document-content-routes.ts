import { sendContent } from '../../http/byte-response.ts';
import { downloadResponses } from '../../http/download-schemas.ts';
import type { AreaRoutes } from '../../http/routes.ts';
import type { DocumentTexts } from './document-texts.ts';
import type { RagDocuments } from './documents.ts';
import { ChunksQuery, RagChunkPageSchema, RagTextSchema, TextQuery } from './schemas/chunks.ts';
import { DocumentParams } from './schemas/documents.ts';

const tags = ['Knowledge bases'];

/** What was read from a document: its chunks, its text and its file. */
export function documentContentRoutes({
  documents,
  texts,
}: {
  documents: Pick<RagDocuments, 'listChunks'>;
  texts: DocumentTexts;
}): AreaRoutes {
  return (app) => {
    app.get(
      '/knowledge-bases/:knowledgeBaseId/documents/:documentId/chunks',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'listRagChunks',
          summary: 'List the chunks of a document in their order',
          tags,
          params: DocumentParams,
          querystring: ChunksQuery,
          response: { 200: RagChunkPageSchema },
        },
      },
      (request) => documents.listChunks(request.params.knowledgeBaseId, request.params.documentId, request.query),
    );
    app.get(
      '/knowledge-bases/:knowledgeBaseId/documents/:documentId/text',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'getRagDocumentText',
          summary: 'Get part of the text that was read from a document',
          tags,
          params: DocumentParams,
          querystring: TextQuery,
          response: { 200: RagTextSchema },
        },
      },
      (request) => texts.text(request.params.knowledgeBaseId, request.params.documentId, request.query),
    );
    app.get(
      '/knowledge-bases/:knowledgeBaseId/documents/:documentId/content',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'downloadRagDocument',
          summary: 'Download the file of a document',
          tags,
          params: DocumentParams,
          response: downloadResponses('The bytes of the file', 'application/octet-stream'),
        },
      },
      async (request, reply) => {
        const { knowledgeBaseId, documentId } = request.params;
        return sendContent(request, reply, await texts.content(knowledgeBaseId, documentId));
      },
    );
  };
}

import { readJsonBody, defaultJsonBytes } from '../../http/json-body.ts';
import { receiveForm } from '../../http/multipart.ts';
import type { AreaRoutes } from '../../http/routes.ts';
import { NoContent } from '../../http/schemas.ts';
import { bodyValidator } from '../../http/validation.ts';
import type { DocumentIntake } from './document-intake.ts';
import type { RagDocuments } from './documents.ts';
import {
  DocumentFilesForm,
  DocumentParams,
  DocumentsDeletionBody,
  DocumentsDeletionResultSchema,
  DocumentsOfDatasetBody,
  RagDocumentPageSchema,
  RagDocumentSchema,
  RagDocumentsQuery,
  RagLimitsSchema,
  type RagLimits,
  idsBodyLimit,
} from './schemas/documents.ts';
import { KnowledgeBaseParams } from './schemas/knowledge-bases.ts';

const tags = ['Knowledge bases'];
const readDocumentsOfDataset = bodyValidator(DocumentsOfDatasetBody, 'POST');

export type DocumentNouns = {
  documents: RagDocuments;
  intake: DocumentIntake;
  limits: RagLimits;
};

/** The documents of knowledge bases. */
export function documentRoutes({ documents, intake, limits }: DocumentNouns): AreaRoutes {
  return (app) => {
    app.get(
      '/limits',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'getRagLimits',
          summary: 'Get the limits of knowledge bases and their documents',
          tags,
          response: { 200: RagLimitsSchema },
        },
      },
      () => limits,
    );
    app.post(
      '/knowledge-bases/:knowledgeBaseId/documents',
      {
        config: {
          access: 'EDITOR',
          body: 'stream',
          streamBody: {
            contentType: 'multipart/form-data',
            schema: DocumentFilesForm,
            orJson: DocumentsOfDatasetBody,
          },
        },
        schema: {
          operationId: 'addRagDocuments',
          summary: 'Add documents: files as multipart/form-data, or files of a dataset as JSON',
          description:
            'Returns at once; each document is then read, chunked, embedded and indexed, and ends as COMPLETED, PARTIAL or FAILED. At most 1,000 files per call.',
          tags,
          params: KnowledgeBaseParams,
          response: { 201: RagDocumentPageSchema },
        },
      },
      async (request) => {
        const { knowledgeBaseId } = request.params;
        const by = request.principal.username;
        if (/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
          const body = readDocumentsOfDataset(await readJsonBody(request.raw, defaultJsonBytes));
          return intake.addFromDataset(knowledgeBaseId, body, by);
        }
        return receiveForm(request.raw, intake.receive(knowledgeBaseId, by));
      },
    );
    app.get(
      '/knowledge-bases/:knowledgeBaseId/documents',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'listRagDocuments',
          summary: 'List documents with their status and receipts',
          tags,
          params: KnowledgeBaseParams,
          querystring: RagDocumentsQuery,
          response: { 200: RagDocumentPageSchema },
        },
      },
      (request) => documents.list(request.params.knowledgeBaseId, request.query),
    );
    app.get(
      '/knowledge-bases/:knowledgeBaseId/documents/:documentId',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'getRagDocument',
          summary: 'Show a document',
          tags,
          params: DocumentParams,
          response: { 200: RagDocumentSchema },
        },
      },
      (request) => documents.get(request.params.knowledgeBaseId, request.params.documentId),
    );
    app.delete(
      '/knowledge-bases/:knowledgeBaseId/documents/:documentId',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'deleteRagDocument',
          summary: 'Delete a document; after the response, searches no longer find it',
          tags,
          params: DocumentParams,
          response: { 204: NoContent },
        },
      },
      async (request) => {
        await documents.remove(request.params.knowledgeBaseId, request.params.documentId);
        return null;
      },
    );
    app.post(
      '/knowledge-bases/:knowledgeBaseId/documents/batch-delete',
      {
        bodyLimit: idsBodyLimit,
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'deleteRagDocuments',
          summary: 'Delete several documents; after the response, searches no longer find them',
          tags,
          params: KnowledgeBaseParams,
          body: DocumentsDeletionBody,
          response: { 200: DocumentsDeletionResultSchema },
        },
      },
      (request) => documents.removeMany(request.params.knowledgeBaseId, request.body.documentIds),
    );
    app.post(
      '/knowledge-bases/:knowledgeBaseId/documents/:documentId/retry',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'retryRagDocument',
          summary: 'Process a document again',
          description: 'Text that was already read and stored vectors are reused.',
          tags,
          params: DocumentParams,
          response: { 200: RagDocumentSchema },
        },
      },
      (request) =>
        documents.retry(request.params.knowledgeBaseId, request.params.documentId, request.principal.username),
    );
  };
}

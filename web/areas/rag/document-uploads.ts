import { useSyncExternalStore } from 'react';
import { api, dataOf } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import type { RagDocument, RagDocumentPage } from '../../api/schema.ts';
import { sendForm } from '../data-management/uploads/form-sender.ts';
import { isHidden } from './hidden-files.ts';

export type NamedFile = { path: string; file: File };

/** A file that did not become a document, and why: the service's error, or a problem found before sending. */
export type RefusedFile = {
  path: string;
  reason: Error | 'name-too-long' | 'without-content' | 'hidden' | { limitBytes: number };
};

/** A file that became a document although one with the same bytes exists. */
export type RepeatedFile = { path: string; same: { id: string; name: string } };

/** The upload of files into a knowledge base. It continues while other pages are open. */
export type DocumentUpload = {
  total: number;
  totalBytes: number;
  sentBytes: number;
  /** Files that have become documents. */
  stored: number;
  refused: readonly RefusedFile[];
  repeated: readonly RepeatedFile[];
  isRunning: boolean;
};

/** The service's limit on the length of a name. */
const maxNameLength = 255;
/** Limits of one call, whichever is reached first: its files are stored once it has returned. */
const filesPerCall = 100;
const bytesPerCall = 32 * 2 ** 20;

const nothing: DocumentUpload = {
  total: 0,
  totalBytes: 0,
  sentBytes: 0,
  stored: 0,
  refused: [],
  repeated: [],
  isRunning: false,
};
let limit: number | undefined;
const uploads = new Map<string, DocumentUpload>();
const queues = new Map<string, NamedFile[]>();
const stops = new Map<string, AbortController>();
const listeners = new Set<() => void>();

/** The upload into a knowledge base; re-renders whenever it changes. */
export function useDocumentUpload(knowledgeBaseId: string): DocumentUpload {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => uploads.get(knowledgeBaseId) ?? nothing,
  );
}

/** Clears the list of refused files. */
export function dismissRefused(knowledgeBaseId: string): void {
  change(knowledgeBaseId, { refused: [] });
}

/** Clears the list of files that already existed. */
export function dismissRepeated(knowledgeBaseId: string): void {
  change(knowledgeBaseId, { repeated: [] });
}

/** Records new documents whose bytes already existed. */
export function noteRepeated(
  knowledgeBaseId: string,
  documents: readonly Pick<RagDocument, 'name' | 'metadata' | 'sameContentAs'>[],
): void {
  const repeated = documents.flatMap(({ name, metadata, sameContentAs: same }) =>
    same === null ? [] : [{ path: metadata.path ?? name, same }],
  );
  if (repeated.length > 0) change(knowledgeBaseId, { repeated: [...of(knowledgeBaseId).repeated, ...repeated] });
}

/** Records files of a dataset that the service refused. */
export function noteRefused(knowledgeBaseId: string, refused: readonly RefusedFile[]): void {
  change(knowledgeBaseId, { refused: [...of(knowledgeBaseId).refused, ...refused] });
}

/** Ends the upload; stored files remain. */
export function stopUpload(knowledgeBaseId: string): void {
  queues.delete(knowledgeBaseId);
  stops.get(knowledgeBaseId)?.abort();
}

/** Sends files, after those already queued. */
export async function addFiles(knowledgeBaseId: string, files: readonly NamedFile[]): Promise<void> {
  const refused: RefusedFile[] = [];
  const limitBytes = await findLimit();
  const wanted = files.filter(({ path, file }) => {
    const reason = isHidden(path)
      ? 'hidden'
      : [...nameOf(path)].length > maxNameLength
        ? 'name-too-long'
        : file.size > limitBytes
          ? { limitBytes }
          : undefined;
    if (reason !== undefined) refused.push({ path, reason });
    return reason === undefined;
  });
  const old = of(knowledgeBaseId);
  const before = old.isRunning ? old : { ...nothing, refused: old.refused, repeated: old.repeated };
  change(knowledgeBaseId, {
    ...before,
    total: before.total + wanted.length,
    totalBytes: before.totalBytes + sizeOf(wanted),
    refused: [...before.refused, ...refused],
  });
  const queue = queues.get(knowledgeBaseId) ?? [];
  queue.push(...wanted);
  queues.set(knowledgeBaseId, queue);
  if (!before.isRunning && wanted.length > 0) await run(knowledgeBaseId);
}

/** Size limit of a file in bytes; without a response, the service decides itself. */
async function findLimit(): Promise<number> {
  try {
    limit ??= (await dataOf(api.GET('/api/v1/rag/limits'))).data.documentBytes;
    return limit;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

async function run(id: string): Promise<void> {
  const stop = new AbortController();
  stops.set(id, stop);
  change(id, { isRunning: true });
  window.addEventListener('beforeunload', warn);
  try {
    for (;;) {
      const queue = queues.get(id);
      if (queue === undefined || queue.length === 0) return;
      await send(id, takeCall(queue), stop.signal);
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    queues.delete(id);
    stops.delete(id);
    change(id, { isRunning: false });
    if (stops.size === 0) window.removeEventListener('beforeunload', warn);
  }
}

/** Takes the first files of the queue, up to the limits of a call. */
function takeCall(queue: NamedFile[]): NamedFile[] {
  let count = 0;
  for (let bytes = 0; count < Math.min(queue.length, filesPerCall); count++) {
    bytes += queue[count]?.file.size ?? 0;
    if (count > 0 && bytes > bytesPerCall) break;
  }
  return queue.splice(0, count);
}

/**
 * Sends the files of one call. The service takes all or none: after a refusal each file is sent alone, so that only the refused ones are
 * missing.
 */
async function send(id: string, files: readonly NamedFile[], signal: AbortSignal): Promise<void> {
  const before = of(id).sentBytes;
  const bytes = sizeOf(files);
  try {
    const { data } = await sendForm<{ data: RagDocumentPage }>(
      `/api/v1/rag/knowledge-bases/${encodeURIComponent(id)}/documents`,
      formOf(files),
      signal,
      (share) => change(id, { sentBytes: before + share * bytes }),
    );
    noteRepeated(id, data.content);
    change(id, { sentBytes: before + bytes, stored: of(id).stored + files.length });
  } catch (error) {
    if (signal.aborted || !(error instanceof Error)) throw error;
    const isRefusal = error instanceof ApiError && error.status >= 400 && error.status < 500;
    if (files.length > 1 && isRefusal) {
      change(id, { sentBytes: before });
      for (const file of files) await send(id, [file], signal);
      return;
    }
    change(id, {
      sentBytes: before + bytes,
      refused: [...of(id).refused, ...files.map(({ path }) => ({ path, reason: error }))],
    });
  }
}

/** File names are sent without folders; the path of a file from a folder goes into its metadata. */
function formOf(files: readonly NamedFile[]): FormData {
  const form = new FormData();
  let known = '{}';
  for (const { path, file } of files) {
    const metadata = path.includes('/') ? JSON.stringify({ path: path.slice(0, 1000) }) : '{}';
    if (metadata !== known) form.append('metadata', metadata);
    known = metadata;
    form.append('files', file, nameOf(path));
  }
  return form;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function sizeOf(files: readonly NamedFile[]): number {
  return files.reduce((sum, { file }) => sum + file.size, 0);
}

function of(id: string): DocumentUpload {
  return uploads.get(id) ?? nothing;
}

function change(id: string, values: Partial<DocumentUpload>): void {
  uploads.set(id, { ...of(id), ...values });
  for (const listener of listeners) listener();
}

function warn(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

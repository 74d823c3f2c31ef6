import type { Clock } from '../../kernel/clock.ts';
import type { DocumentPart, Documents } from '../../documents/index.ts';
import type { Run, RunContext } from '../../runs/index.ts';
import type { Tx } from '../../storage/database/database.ts';
import type { RagDocumentsTable } from '../../storage/database/tables/rag.ts';
import type { DiskMeasure } from '../../storage/disk-space/index.ts';
import type { Following } from './following.ts';
import type { RagIndex } from './queries/indexes.ts';
import type { WaitingForSpace } from './space-wait.ts';
import type { BuildingServices } from './building.ts';

/** Limits of one document, and of one knowledge base. */
export type RagDocumentLimits = {
  maxDocuments: number;
  maxBytes: number;
  maxCharacters: number;
  /** How many attempts to read a document may crash the service before it fails. */
  maxReadings: number;
  /** Which part of an HTML page is read. */
  htmlPart: DocumentPart;
};

export type IngestServices = BuildingServices & {
  clock: Clock;
  limits: RagDocumentLimits;
  documents: Documents;
  /** Lets a completed rebuild continue with a document that became searchable. */
  rebuildMore(tx: Tx, knowledgeBaseId: string): Promise<void>;
  measureSpace(): Promise<Pick<DiskMeasure, 'state' | 'freeBytes'>>;
  waitingForSpace: WaitingForSpace;
  /** Call after the commit. */
  wake(): void;
  following: Pick<Following, 'numberFound' | 'tellFound' | 'doubt'>;
};

export type Ingest = IngestServices & {
  run: Run;
  context: RunContext;
  index: RagIndex;
  document: RagDocumentsTable;
  /** A unit made for an index that was replaced meanwhile. */
  replacedUnit?: { unit: number; embeddingModel: string } | undefined;
};

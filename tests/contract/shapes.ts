import Type, { type Static, type TSchema } from 'typebox';

/** The records of the API, written from its document, not from the server. Only extra fields are allowed. */

export const Id = Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' });
export const Time = Type.String({ pattern: String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$` });
export const Count = Type.Integer({ minimum: 0 });
export const Percentage = Type.Number({ minimum: 0, maximum: 100 });
export const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

export const AnyJson = Type.Unknown();

export const DatasetTag = Type.Object({
  id: Id,
  name: Type.String(),
  color: Type.String({ pattern: '^#[0-9A-Fa-f]{6}$' }),
});

export const datasetStatuses = ['DRAFT', 'ACTIVE', 'INACTIVE', 'PROCESSING', 'ARCHIVED', 'PUBLISHED', 'DEPRECATED'];
export const datasetTypes = ['TEXT', 'IMAGE', 'AUDIO', 'VIDEO', 'MULTIMODAL'];

export const Dataset = Type.Object({
  id: Id,
  name: Type.String({ minLength: 1 }),
  description: Type.String(),
  type: Type.Object({ code: Type.String(), name: Type.String({ minLength: 1 }) }),
  status: Type.Enum(datasetStatuses),
  tags: Type.Array(DatasetTag),
  fileCount: Count,
  errorCount: Count,
  totalSize: Count,
  completionRate: Percentage,
  createdAt: Time,
  createdBy: Type.String({ minLength: 1 }),
  updatedAt: Time,
  updatedBy: Type.String({ minLength: 1 }),
  version: Type.Integer({ minimum: 1 }),
});

/** In lists, a dataset's type also names its intended formats. */
export const ListedDataset = Type.Object({
  ...Dataset.properties,
  type: Type.Object({ ...Dataset.properties.type.properties, supportedFormats: Type.Array(Type.String()) }),
});

export const DatasetType = Type.Object({
  code: Type.Enum(datasetTypes),
  name: Type.String({ minLength: 1 }),
  description: Type.String(),
  supportedFormats: Type.Array(Type.String({ pattern: '^[^.]' })),
  icon: Type.String({ minLength: 1 }),
});

export const File = Type.Object({
  id: Id,
  fileName: Type.String({ minLength: 1 }),
  originalName: Type.String({ minLength: 1 }),
  fileType: Type.String(),
  fileSize: Count,
  status: Type.Enum(['COMPLETED', 'PROCESSING', 'ERROR']),
  filePath: Type.String({ minLength: 1 }),
  uploadTime: Time,
  uploadedBy: Type.String({ minLength: 1 }),
  sha256: nullable(Type.String({ pattern: '^[0-9a-f]{64}$' })),
  contentType: Type.String({ minLength: 1 }),
  error: nullable(Type.String()),
  updatedAt: Time,
});
export type File = Static<typeof File>;

export const Tag = Type.Object({
  id: Id,
  name: Type.String({ minLength: 1 }),
  color: Type.String({ pattern: '^#[0-9A-Fa-f]{6}$' }),
  description: Type.String(),
});

export const ListedTag = Type.Object({ ...Tag.properties, usageCount: Count });

export const Statistics = Type.Object({
  totalFiles: Count,
  completedFiles: Count,
  totalSize: Count,
  completionRate: Percentage,
  fileTypeDistribution: Type.Record(Type.String(), Count),
  statusDistribution: Type.Object({ COMPLETED: Count, PROCESSING: Count, ERROR: Count }),
});

export const Directory = Type.Object({
  path: Type.String({ minLength: 1 }),
  name: Type.String({ minLength: 1 }),
  createdAt: Time,
});

export const ChunkResult = Type.Object({
  reqId: Id,
  fileNo: Type.Integer(),
  fileName: Type.String(),
  chunkNo: Type.Integer(),
  totalChunkNum: Type.Integer(),
  receivedChunks: Type.Integer(),
  fileCompleted: Type.Boolean(),
  uploadCompleted: Type.Boolean(),
  file: Type.Optional(File),
  warnings: Type.Optional(Type.Array(Type.String())),
});

export const StreamResult = Type.Object({ files: Count, bytes: Count, failed: Type.Unknown() });

export const Login = Type.Object({ token: Type.String({ minLength: 20 }), expiresIn: Type.Integer({ minimum: 1 }) });
export const Me = Type.Object({ id: Id, username: Type.String(), role: Type.Enum(['ADMIN', 'EDITOR', 'VIEWER']) });
export const User = Me;
export const ApiKey = Type.Object({ id: Id, name: Type.String(), prefix: Type.String({ minLength: 1 }) });
export const NewApiKey = Type.Object({ ...ApiKey.properties, key: Type.String({ minLength: 20 }) });

export const Version = Type.Object({ version: Type.Integer({ minimum: 1 }) });

export const Counts = Type.Object({
  in: Count,
  kept: Count,
  changed: Count,
  dropped: Count,
  failed: Count,
  emitted: Count,
});

export const runStatuses = ['QUEUED', 'RUNNING', 'COMPLETED', 'FAILED', 'STOPPED'];

export const Run = Type.Object({
  id: Id,
  taskId: Id,
  status: Type.Enum(runStatuses),
  progress: Percentage,
  counts: Counts,
  startedAt: nullable(Time),
  finishedAt: nullable(Time),
  error: nullable(Type.String()),
  resumedFrom: nullable(Id),
  failedOf: nullable(Id),
});

/** The page envelope of every list. */
export function PageOf<S extends TSchema>(item: S) {
  return Type.Object({
    content: Type.Array(item),
    page: Count,
    size: Type.Integer({ minimum: 1, maximum: 1000 }),
    totalElements: Count,
    totalPages: Count,
    first: Type.Boolean(),
    last: Type.Boolean(),
  });
}

/** The success envelope of every area but data management and auth. */
export function Enveloped<S extends TSchema>(data: S) {
  return Type.Object({ code: Type.Integer(), message: Type.String(), data });
}

export const GeneralError = Type.Object({
  code: Type.Integer(),
  message: Type.String({ minLength: 1 }),
  error: Type.String({ minLength: 1 }),
  timestamp: Time,
  path: Type.String(),
});

export const DataManagementError = Type.Object({
  error: Type.String({ pattern: '^[A-Z][A-Z_]+$' }),
  message: Type.String({ minLength: 1 }),
  timestamp: Time,
  path: Type.String(),
});

import { Type, type Static } from 'typebox';

const version = Type.Optional(
  Type.Integer({ minimum: 1, description: 'Version of the dataset; default: the current one' }),
);

export const DownloadQuery = Type.Object({ version });

export const ArchiveQuery = Type.Object({
  prefix: Type.Optional(Type.String({ description: 'Folder: only files below it, at any depth' })),
  fileIds: Type.Optional(Type.String({ description: 'Comma-separated ids of files; 404 for an unknown id' })),
  fileType: Type.Optional(Type.String({ description: "Extension without the dot, not case-sensitive; '' for none" })),
  version,
});
export type ArchiveQuery = Static<typeof ArchiveQuery>;

export const skippedFilesHeader = {
  'X-Tilth-Skipped-Files': {
    type: 'integer',
    description: 'Selected files that are not in the archive because they are not COMPLETED',
  },
};

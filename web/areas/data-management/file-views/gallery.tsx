import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { DatasetFile } from '../../../api/schema.ts';
import { downloadUrl } from '../dataset-queries.ts';

/** Pictures side by side; the browser loads only visible ones. */
export function Gallery({ datasetId, files }: { datasetId: string; files: readonly DatasetFile[] }) {
  return (
    <ul className="gallery">
      {files.map((file) => (
        <li key={file.id}>
          <Link
            to="/datasets/$datasetId/files/$fileId"
            params={{ datasetId, fileId: file.id }}
            className="gallery-picture plain-link"
          >
            <img src={downloadUrl(datasetId, file.id)} alt={file.fileName} loading="lazy" decoding="async" />
            <Text span size="xs" truncate title={file.filePath}>
              {file.fileName}
            </Text>
          </Link>
        </li>
      ))}
    </ul>
  );
}

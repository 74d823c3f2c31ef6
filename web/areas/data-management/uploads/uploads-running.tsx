import { useTranslation } from 'react-i18next';
import type { Running } from '../../../shell/area.ts';
import { RunningRow } from '../../../ui/running-row.tsx';
import type { Upload } from './upload.ts';
import { useRunningUploads, useUploadProgress } from './use-uploads.ts';

/** The active uploads of this page. */
export function useUploadsRunning(): Running {
  const uploads = useRunningUploads();
  return { count: uploads.length, rows: uploads.map((upload) => <RunningUpload key={upload.reqId} upload={upload} />) };
}

function RunningUpload({ upload }: { upload: Upload }) {
  const { t } = useTranslation();
  const { sentBytes, totalBytes, doneFiles, totalFiles } = useUploadProgress(upload);
  const share = totalBytes === 0 ? doneFiles / totalFiles : sentBytes / totalBytes;
  return (
    <RunningRow
      name={t('data.uploading', { count: totalFiles })}
      percent={100 * share}
      to={`/datasets/${upload.datasetId}/upload`}
    />
  );
}

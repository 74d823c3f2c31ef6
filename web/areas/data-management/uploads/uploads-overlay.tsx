import { useRouterState } from '@tanstack/react-router';
import { Suspense } from 'react';
import { loadPageTexts } from '../../../messages/index.ts';
import { lazyPage } from '../../../shell/lazy-page.ts';
import { DropAnywhere } from './drop-anywhere.tsx';
import { useInterruptedUploads } from './use-interrupted-uploads.ts';
import { useUploads } from './use-uploads.ts';

/** Loaded with the first upload, not with the first page. */
const UploadTray = lazyPage(async () => {
  const [tray] = await Promise.all([import('./upload-tray.tsx'), loadPageTexts('uploads')]);
  return tray;
}, 'UploadTray');

/** The upload tray on every page: all uploads of this browser, except on the page that shows them in full. */
export function UploadsOverlay() {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const isElsewhere = ({ datasetId }: { datasetId: string }): boolean => path !== `/datasets/${datasetId}/upload`;
  const uploads = useUploads().filter(isElsewhere);
  const interrupted = (useInterruptedUploads().data ?? []).filter(isElsewhere);
  return (
    <>
      {uploads.length + interrupted.length > 0 && (
        <Suspense>
          <UploadTray uploads={uploads} interrupted={interrupted} />
        </Suspense>
      )}
      <DropAnywhere />
    </>
  );
}

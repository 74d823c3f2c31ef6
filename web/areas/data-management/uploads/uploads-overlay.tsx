import { DropAnywhere } from './drop-anywhere.tsx';
import { UploadTray } from './upload-tray.tsx';

/** What uploads show on every page. */
export function UploadsOverlay() {
  return (
    <>
      <UploadTray />
      <DropAnywhere />
    </>
  );
}

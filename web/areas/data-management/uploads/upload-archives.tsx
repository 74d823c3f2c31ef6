import { Alert, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { sayAll, useSay } from '../../../messages/sentences.ts';
import { formatCount } from '../../../ui/format.ts';
import { useLocale } from '../../../ui/figures.tsx';
import { datasetKeys } from '../dataset-queries.ts';
import type { Upload } from './upload.ts';
import { useUploadEvents } from './use-upload-events.ts';

/** Files extracted from archives, and failures with their reason; updated live during unpacking. */
export function UploadArchives({ upload }: { upload: Upload }) {
  const { t } = useTranslation();
  const say = useSay();
  const locale = useLocale();
  const queryClient = useQueryClient();
  const progress = useUploadEvents(
    upload.datasetId,
    upload.reqId,
    () => void queryClient.invalidateQueries({ queryKey: datasetKeys.all }),
  );
  const archives = progress?.archives.filter((archive) => archive.status !== 'NOT_AN_ARCHIVE') ?? [];
  const counted = (key: 'unpacking' | 'unpacked' | 'folders' | 'refused', count: number): string =>
    t(`uploads.${key}`, { count, files: formatCount(count, locale) });
  return archives.map((archive) => (
    <Alert
      key={archive.fileNo}
      py="xs"
      color={
        archive.status === 'ERROR'
          ? 'red'
          : archive.refused + archive.replaced + archive.overwritten + archive.guessedNames + archive.warnings.length >
              0
            ? 'orange'
            : archive.status === 'PROCESSING'
              ? 'blue'
              : 'green'
      }
      title={archive.filePath}
    >
      <Text size="sm">
        {archive.status === 'ERROR'
          ? say(archive, 'error')
          : [
              counted(archive.status === 'PROCESSING' ? 'unpacking' : 'unpacked', archive.files),
              ...(archive.folders > 0 ? [counted('folders', archive.folders)] : []),
              ...(archive.refused > 0 ? [counted('refused', archive.refused)] : []),
            ].join(t('datasets.versions.separator'))}
      </Text>
      {archive.refusals.length > 0 && (
        <ul className="plain-list">
          {archive.refusals.map(({ path, ...refusal }, index) => (
            // Two entries may have the same name.
            <li key={index}>
              <code>{path}</code>: {say(refusal, 'reason')}
            </li>
          ))}
        </ul>
      )}
      {archive.warnings.length > 0 && (
        <ul className="plain-list" aria-label={t('uploads.warnings')}>
          {sayAll(archive.warnings, archive.warningSentences).map((warning, index) => (
            <li key={index}>{warning}</li>
          ))}
        </ul>
      )}
      <Effect kind="replaced" count={archive.replaced} names={archive.replacedPaths} />
      <Effect
        kind="renamed"
        count={archive.renamed}
        names={archive.renames.map(({ path, renamedTo }) => `${path} → ${renamedTo}`)}
      />
      <Effect kind="overwritten" count={archive.overwritten} names={archive.overwrittenPaths} />
    </Alert>
  ));
}

/** Effects of archive entries on other files: their number, and the list on demand. */
function Effect(props: { kind: 'replaced' | 'renamed' | 'overwritten'; count: number; names: readonly string[] }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { kind, count, names } = props;
  if (count === 0) return null;
  const more = count - names.length;
  return (
    <details>
      <summary>{t(`uploads.${kind}`, { count, files: formatCount(count, locale) })}</summary>
      <ul className="plain-list">
        {names.map((name, index) => (
          // The same path may occur several times.
          <li key={index}>
            <code>{name}</code>
          </li>
        ))}
        {more > 0 && <li>{t('uploads.andMore', { count: more, files: formatCount(more, locale) })}</li>}
      </ul>
    </details>
  );
}

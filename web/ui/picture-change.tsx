import { Modal, Text, UnstyledButton } from '@mantine/core';
import { IconArrowRight, IconPhotoOff } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { PreviewPicture } from '../api/schema.ts';
import { useLocale } from './figures.tsx';
import { formatBytes, formatShare } from './format.ts';

type Props = {
  /** Name of the picture. */
  name: string;
  before: PreviewPicture;
  /** The results; none if it was dropped or failed, the same object if it is unchanged. */
  after: readonly PreviewPicture[];
  /** For lists whose rows open: small, without words. */
  brief?: boolean;
};

/** A picture before and after, with the facts of each; a click enlarges both. */
export function PictureChange({ name, before, after, brief = false }: Props) {
  const { t } = useTranslation();
  const [isLarge, setLarge] = useState(false);
  const changed = after.filter((picture) => picture !== before);
  const enlarge = brief ? undefined : () => setLarge(true);
  return (
    <>
      <div className="picture-change" data-brief={brief || undefined}>
        <Figure picture={before} alt={altOf(name, changed.length > 0 ? 'before' : 'only')} onEnlarge={enlarge} />
        {changed.map((picture, index) => (
          <Figure
            key={index}
            picture={picture}
            from={before}
            alt={altOf(name, 'after')}
            onEnlarge={enlarge}
            isArrow={index === 0}
          />
        ))}
      </div>
      <Modal
        opened={isLarge && !brief}
        onClose={() => setLarge(false)}
        title={name}
        size="min(1400px, 96vw)"
        closeButtonProps={{ 'aria-label': t('common.actions.close') }}
      >
        <div className="picture-change" data-large>
          <Figure picture={before} label={changed.length > 0 ? t('common.picture.before') : undefined} alt={name} />
          {changed.map((picture, index) => (
            <Figure
              key={index}
              picture={picture}
              from={before}
              label={t('common.picture.after')}
              alt={altOf(name, 'after')}
            />
          ))}
        </div>
      </Modal>
    </>
  );

  function altOf(file: string, which: 'before' | 'after' | 'only'): string {
    return which === 'only' ? file : t(`common.picture.${which}Of`, { name: file });
  }
}

type FigureProps = {
  picture: PreviewPicture;
  alt: string;
  /** The picture it was made from. */
  from?: PreviewPicture;
  label?: string | undefined;
  onEnlarge?: (() => void) | undefined;
  isArrow?: boolean;
};

function Figure({ picture, alt, from, label, onEnlarge, isArrow = false }: FigureProps) {
  const { t } = useTranslation();
  const { thumbnail } = picture;
  const shown =
    thumbnail === null ? (
      <span className="picture-missing">
        <IconPhotoOff size={20} aria-hidden />
        {t(picture.width === null ? 'common.picture.unreadable' : 'common.picture.notShown')}
      </span>
    ) : (
      <img src={thumbnail} alt={alt} loading="lazy" decoding="async" />
    );
  return (
    <>
      {isArrow && <IconArrowRight size={18} className="picture-arrow" aria-hidden />}
      <figure>
        {label !== undefined && (
          <Text size="sm" fw={600} mb={4}>
            {label}
          </Text>
        )}
        {thumbnail === null || onEnlarge === undefined ? (
          shown
        ) : (
          <UnstyledButton onClick={onEnlarge} title={t('common.picture.enlarge')} className="picture-button">
            {shown}
          </UnstyledButton>
        )}
        <figcaption>
          <Facts picture={picture} from={from} />
        </figcaption>
      </figure>
    </>
  );
}

/** `640 × 480 · JPEG · 120 kB (−34 %)`; differences from the picture before stand out. */
function Facts({ picture, from }: { picture: PreviewPicture; from: PreviewPicture | undefined }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { width, height, frames, sizeBytes } = picture;
  const format = formatOf(picture);
  const change =
    sizeBytes === null || from === undefined || from.sizeBytes === null || from.sizeBytes === 0
      ? undefined
      : sizeBytes / from.sizeBytes - 1;
  const facts = [
    ...(width === null || height === null
      ? []
      : [
          {
            text: `${width} × ${height}`,
            isNew: from !== undefined && (from.width !== width || from.height !== height),
          },
        ]),
    { text: format, isNew: from !== undefined && formatOf(from) !== format },
    ...(frames === null || frames === 1
      ? []
      : [{ text: t('common.picture.frames', { count: frames }), isNew: from !== undefined && from.frames !== frames }]),
    ...(sizeBytes === null
      ? []
      : [
          {
            text: `${formatBytes(sizeBytes, locale)}${change === undefined ? '' : ` (${change > 0 ? '+' : ''}${formatShare(change, locale)})`}`,
            isNew: change !== undefined && change !== 0,
          },
        ]),
  ];
  return facts.map(({ text, isNew }, index) => (
    <span key={index}>
      {index > 0 && ' · '}
      {isNew ? <strong className="figure">{text}</strong> : <span className="figure">{text}</span>}
    </span>
  ));
}

/** `image/jpeg` → `JPEG`, `image/svg+xml` → `SVG`. */
function formatOf({ type }: PreviewPicture): string {
  return (type.split('/')[1] ?? type).replace(/\+.*$/, '').toUpperCase();
}

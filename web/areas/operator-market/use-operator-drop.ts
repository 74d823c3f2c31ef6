import { IconPhotoSearch } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Drop } from '../../shell/area.ts';
import { handPictures, takesPictures } from './handed-pictures.ts';
import { usePackageDrop } from './market/use-package-drop.ts';

/** Drop targets: pictures on the page of an operator that takes them, packages on a page of the market. */
export function useOperatorDrop(): Drop | undefined {
  const { t } = useTranslation();
  const packages = usePackageDrop();
  if (!takesPictures()) return packages;
  return {
    icon: IconPhotoSearch,
    label: t('shell.tryPictures.label'),
    lead: t('shell.tryPictures.lead'),
    take: async (files) => handPictures(files.map(({ file }) => file)),
  };
}

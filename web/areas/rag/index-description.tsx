import { useTranslation } from 'react-i18next';
import type { Chunking } from '../../api/schema.ts';
import { useLocale } from '../../ui/figures.tsx';
import { formatCount } from '../../ui/format.ts';

/** A chunking in words: `At blocks, lines, sentences · at most 800 characters, overlap 80`. */
export function useChunkingWords(): (chunking: Chunking) => string {
  const { t } = useTranslation();
  const locale = useLocale();
  return ({ strategy, size, overlap, unit }) =>
    t('knowledge.chunking.words', {
      strategy: t(`knowledge.chunking.strategies.${strategy}`),
      size: formatCount(size, locale),
      unit: t(`knowledge.chunking.units.${unit}`),
      overlap: formatCount(overlap, locale),
    });
}

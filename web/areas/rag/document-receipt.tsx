import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { RagDocument } from '../../api/schema.ts';
import { useSay } from '../../messages/sentences.ts';
import { useLocale } from '../../ui/figures.tsx';
import { formatCount } from '../../ui/format.ts';
import { WarningList } from './warning-list.tsx';

/** The outcome of reading a document, in words: pages, characters, tables, chunks, what was left out, why it failed. */
export function DocumentReceipt({ knowledgeBaseId, document }: { knowledgeBaseId: string; document: RagDocument }) {
  const { t } = useTranslation();
  const say = useSay();
  const locale = useLocale();
  const { receipt, sameContentAs } = document;
  const same = sameContentAs !== null && (
    <Text size="xs" c="dimmed" className="wraps">
      {t('knowledge.sameContent')}
      <Link
        to="/knowledge/$knowledgeBaseId/documents/$documentId"
        params={{ knowledgeBaseId, documentId: sameContentAs.id }}
      >
        {sameContentAs.name}
      </Link>
    </Text>
  );
  if (receipt === null) return same;
  const { pageKind, pagesIn, pagesOut, characters, tables, chunks } = receipt;
  const counted = (count: number): { count: number; shown: string } => ({ count, shown: formatCount(count, locale) });
  const isSheets = pageKind === 'sheet';
  const parts = [
    ...(pagesIn === null || pagesOut === null
      ? []
      : [
          pagesIn === pagesOut
            ? t(isSheets ? 'knowledge.receipt.sheets' : 'knowledge.receipt.pages', counted(pagesIn))
            : t(isSheets ? 'knowledge.receipt.sheetsOf' : 'knowledge.receipt.pagesOf', {
                ...counted(pagesIn),
                withText: formatCount(pagesOut, locale),
              }),
        ]),
    ...(characters === 0 ? [] : [t('knowledge.receipt.characters', counted(characters))]),
    ...(tables === 0 ? [] : [t('knowledge.receipt.tables', counted(tables))]),
    ...(chunks === 0 ? [] : [t('knowledge.receipt.chunks', counted(chunks))]),
  ];
  return (
    <div className="receipt">
      {document.cause !== null && (
        <Text size="xs" c="orange" className="wraps">
          {t('knowledge.receipt.cause', { cause: say(document, 'cause') })}
        </Text>
      )}
      {document.rebuild !== null && document.rebuild.cause !== null && (
        <Text size="xs" c="orange" className="wraps">
          {t('knowledge.rebuild.cause', { cause: say(document.rebuild, 'cause') })}
        </Text>
      )}
      {parts.length > 0 && (
        <Text size="xs" c="dimmed">
          {parts.join(' · ')}
        </Text>
      )}
      {same}
      <WarningList receipt={receipt} />
    </div>
  );
}

import { useTranslation } from 'react-i18next';
import type { Connector } from '../../api/schema.ts';
import { connectorTexts } from '../../messages/zh/connector-texts.ts';

/** Name and description of a connector in the language of the page; the service has the English ones. */
export function useConnectorTexts(): (connector: Connector) => { name: string; description: string } {
  const { i18n } = useTranslation();
  return (connector) =>
    (i18n.language.startsWith('zh') ? connectorTexts[connector.type] : undefined) ?? {
      name: connector.name,
      description: connector.description,
    };
}

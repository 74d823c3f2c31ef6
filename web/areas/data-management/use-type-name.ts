import { useTranslation } from 'react-i18next';

const known = ['TEXT', 'IMAGE', 'AUDIO', 'VIDEO', 'MULTIMODAL'] as const;

/** Names dataset types in the user's language; falls back to the service's name for unknown types. */
export function useTypeName(): (type: { code: string; name: string }) => string {
  const { t } = useTranslation();
  return ({ code, name }) => {
    const type = known.find((each) => each === code);
    return type === undefined ? name : t(`datasets.types.${type}`);
  };
}

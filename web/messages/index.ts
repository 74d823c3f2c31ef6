import i18next, { type TFunction } from 'i18next';
import { initReactI18next } from 'react-i18next';
import { en } from './en/index.ts';
import { connectorTextsNamespace } from './connector-texts.ts';
import { operatorCategoriesNamespace, operatorTextsNamespace } from './operator-texts.ts';
import { pageTexts, type PageTexts } from './page-texts.ts';
import { addSentences } from './sentences.ts';
import { templateTextsNamespace } from './template-texts.ts';

export type Language = 'en' | 'zh';

const storageKey = 'tilth-language';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation';
    resources: {
      translation: typeof en & PageTexts;
    };
  }
}

/** The user's choice, else the first supported language of the browser. */
export function preferredLanguage(): Language {
  const chosen = localStorage.getItem(storageKey);
  if (chosen === 'en' || chosen === 'zh') return chosen;
  return navigator.languages.map((tag) => tag.slice(0, 2)).find((tag) => tag === 'zh' || tag === 'en') === 'zh'
    ? 'zh'
    : 'en';
}

const loadedTexts = new Map<keyof typeof pageTexts, Promise<void>>();

/** Loads the English texts of an area that are not loaded with the first page. */
export function loadPageTexts(area: keyof typeof pageTexts): Promise<void> {
  const known = loadedTexts.get(area);
  if (known !== undefined) return known;
  const loading = pageTexts[area]().then(
    (texts) => void i18next.addResourceBundle('en', 'translation', texts, true),
    (error: unknown) => {
      loadedTexts.delete(area);
      throw error;
    },
  );
  loadedTexts.set(area, loading);
  return loading;
}

/** The translations of the current language, for code outside of components. */
export function textsInUse(): TFunction {
  return i18next.t;
}

/** Loads the messages; each language but English is a separate file. */
export async function startMessages(): Promise<void> {
  const language = preferredLanguage();
  await i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: 'en',
    resources: { en: { translation: en } },
    partialBundledLanguages: true,
    interpolation: { escapeValue: false },
  });
  await chooseLanguage(language, { remember: false });
}

export async function chooseLanguage(language: Language, { remember = true } = {}): Promise<void> {
  if (language === 'zh' && !i18next.hasResourceBundle('zh', 'translation')) {
    const [{ zh }, { operatorTexts }, { operatorCategories }, { connectorTexts }, { templateTexts }, { sentences }] =
      await Promise.all([
        import('./zh/index.ts'),
        import('./zh/operator-texts.ts'),
        import('./zh/operator-categories.ts'),
        import('./zh/connector-texts.ts'),
        import('./zh/template-texts.ts'),
        import('./zh/sentences.ts'),
      ]);
    addSentences('zh', sentences);
    i18next.addResourceBundle('zh', 'translation', zh);
    i18next.addResourceBundle('zh', operatorTextsNamespace, operatorTexts);
    i18next.addResourceBundle('zh', operatorCategoriesNamespace, operatorCategories);
    i18next.addResourceBundle('zh', connectorTextsNamespace, connectorTexts);
    i18next.addResourceBundle('zh', templateTextsNamespace, templateTexts);
  }
  await i18next.changeLanguage(language);
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
  if (remember) localStorage.setItem(storageKey, language);
}

/** The pattern of a text of the service, and its translation with `$1`, `$2` for the groups. */
export type ReasonText = readonly [pattern: RegExp, text: string];

const textsByLanguage = new Map<string, readonly ReasonText[]>();

export function addReasonTexts(language: string, texts: readonly ReasonText[]): void {
  textsByLanguage.set(language, texts);
}

/**
 * A reason, error or log line of the service in the user's language, or in the original English if it has no
 * translation.
 */
export function localizeReason(reason: string, language: string): string {
  return translateReason(reason, textsByLanguage.get(language) ?? []);
}

/** The translation by the first pattern that matches the whole reason. A group may itself be a reason. */
export function translateReason(reason: string, texts: readonly ReasonText[]): string {
  for (const [pattern, text] of texts) {
    const found = pattern.exec(reason);
    if (found === null) continue;
    return text.replaceAll(/\$(\d)/g, (_, group: string) => translateReason(found[Number(group)] ?? '', texts));
  }
  return reason;
}

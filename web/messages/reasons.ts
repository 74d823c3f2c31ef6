/** What a text of the service looks like, and the same in another language with `$1`, `$2` for what the groups found. */
export type ReasonText = readonly [pattern: RegExp, text: string];

const textsByLanguage = new Map<string, readonly ReasonText[]>();

export function addReasonTexts(language: string, texts: readonly ReasonText[]): void {
  textsByLanguage.set(language, texts);
}

/** A reason, error or log line of the service in a language that has a text for it, else in English, as it came. */
export function localizeReason(reason: string, language: string): string {
  return translateReason(reason, textsByLanguage.get(language) ?? []);
}

/** The text of the first pattern that fits the whole reason. What a group found may be a reason in turn. */
export function translateReason(reason: string, texts: readonly ReasonText[]): string {
  for (const [pattern, text] of texts) {
    const found = pattern.exec(reason);
    if (found === null) continue;
    return text.replaceAll(/\$(\d)/g, (_, group: string) => translateReason(found[Number(group)] ?? '', texts));
  }
  return reason;
}

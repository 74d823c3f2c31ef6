/** A field of a form (RTF 1.9.1, form fields), while it is read. */
export type RtfFormField = { kind: number; result: number | undefined; standard: number; entries: string[] };

export function createFormField(): RtfFormField {
  return { kind: 0, result: undefined, standard: 0, entries: [] };
}

/** What programs write for a field that nobody has filled in. */
const undefinedResult = 25;

/** Takes a control word of a form field. */
export function takeFormWord(field: RtfFormField | undefined, name: string, value = 0): void {
  if (field === undefined) return;
  if (name === 'fftype') field.kind = value;
  else if (name === 'ffres') field.result = value === undefinedResult ? undefined : value;
  else if (name === 'ffdefres') field.standard = value;
}

/** The chosen entry of a drop-down list, or whether a box is ticked; the texts of other fields are in the document. */
export function textOfFormField({ kind, result, standard, entries }: RtfFormField): string {
  const chosen = result ?? standard;
  if (kind === 1) return chosen === 1 ? '☒' : '☐';
  return kind === 2 ? (entries[chosen] ?? '').trim() : '';
}

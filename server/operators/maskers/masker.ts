/** Replaces each finding by `replace(finding)`. */
export type Masker = (text: string, replace: (found: string) => string) => string;

/** What the control words of a group have set so far; a group inherits a copy. */
export type RtfState = {
  destination: RtfDestination;
  bold: boolean;
  italic: boolean;
  strikethrough: boolean;
  shift: 'superscript' | 'subscript' | undefined;
  isHidden: boolean;
  isDeleted: boolean;
  font: number | undefined;
  /** Characters after `\u` that repeat it for old programs. */
  fallback: number;
  paragraph: RtfParagraph;
};

/** Where the text of a group goes. */
export type RtfDestination =
  | 'BODY'
  | 'SKIPPED'
  | 'FONTS'
  | 'STYLES'
  | 'LABEL'
  | 'INSTRUCTION'
  | 'TITLE'
  | 'INFO'
  | 'RUNNING'
  | 'FORM'
  | 'COMMENT';

/** Properties of paragraphs. */
export type RtfParagraph = {
  /** 0 outside tables. */
  tableLevel: number;
  style: number | undefined;
  /** From 0. */
  outlineLevel: number | undefined;
  list: number | undefined;
  listLevel: number;
  isHanging: boolean;
  /** Whether it is the large first letter of the next paragraph. */
  isDropCap: boolean;
  label: string | undefined;
};

export const plainParagraph: RtfParagraph = {
  tableLevel: 0,
  style: undefined,
  outlineLevel: undefined,
  list: undefined,
  listLevel: 0,
  isHanging: false,
  isDropCap: false,
  label: undefined,
};

export const firstState: RtfState = {
  destination: 'BODY',
  bold: false,
  italic: false,
  strikethrough: false,
  shift: undefined,
  isHidden: false,
  isDeleted: false,
  font: undefined,
  fallback: 1,
  paragraph: plainParagraph,
};

/** Applies a control word of the formatting of characters or paragraphs; returns whether it is one. */
export function applyFormat(state: RtfState, name: string, value: number | undefined): boolean {
  const isOn = value !== 0;
  switch (name) {
    case 'b':
      state.bold = isOn;
      return true;
    case 'i':
      state.italic = isOn;
      return true;
    case 'strike':
    case 'striked':
      state.strikethrough = isOn;
      return true;
    case 'super':
      state.shift = isOn ? 'superscript' : undefined;
      return true;
    case 'sub':
      state.shift = isOn ? 'subscript' : undefined;
      return true;
    case 'nosupersub':
      state.shift = undefined;
      return true;
    case 'up':
    case 'dn':
      state.shift = value === 0 ? undefined : name === 'up' ? 'superscript' : 'subscript';
      return true;
    case 'v':
      state.isHidden = isOn;
      return true;
    case 'deleted':
      state.isDeleted = isOn;
      return true;
    case 'plain': {
      const { font: _, destination, fallback, paragraph } = state;
      Object.assign(state, { ...firstState, destination, fallback, paragraph });
      return true;
    }
    case 'f':
      state.font = value ?? 0;
      return true;
    case 'uc':
      state.fallback = Math.max(0, value ?? 1);
      return true;
    default:
      return applyParagraph(state, name, value);
  }
}

function applyParagraph(state: RtfState, name: string, value: number | undefined): boolean {
  const set = (changes: Partial<RtfParagraph>): true => {
    state.paragraph = { ...state.paragraph, ...changes };
    return true;
  };
  switch (name) {
    case 'pard':
      state.paragraph = plainParagraph;
      return true;
    case 'intbl':
      return set({ tableLevel: Math.max(1, state.paragraph.tableLevel) });
    case 'itap':
      return set({ tableLevel: Math.min(16, Math.max(0, value ?? 0)) });
    case 's':
      return set({ style: value ?? 0 });
    case 'outlinelevel':
      return set({ outlineLevel: value ?? 0 });
    case 'ls':
      return set({ list: value ?? 0 });
    case 'ilvl':
      return set({ listLevel: Math.min(8, Math.max(0, value ?? 0)) });
    case 'dropcapli':
    case 'dropcapt':
      return set({ isDropCap: (value ?? 0) > 0 });
    case 'fi':
      return set({ isHanging: (value ?? 0) < 0 });
    default:
      return false;
  }
}

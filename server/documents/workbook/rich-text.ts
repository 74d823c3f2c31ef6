/** How letters are set; only what Markdown or plain text can show. */
export type Emphasis = {
  bold?: true;
  italic?: true;
  strikethrough?: true;
  superscript?: true;
  subscript?: true;
};

export type TextRun = { text: string; emphasis: Emphasis };

/** A text of a workbook: plain, or of runs that are set differently. */
export type RichText = string | readonly TextRun[];

export function plainTextOf(text: RichText): string {
  return typeof text === 'string' ? text : text.map((run) => run.text).join('');
}

/** Decodes escapes such as `_x000D_` for characters that XML does not allow (ECMA-376 part 1, 22.9.2.19). */
export function withControls(text: string): string {
  return text.includes('_x')
    ? text.replaceAll(/_x([\da-fA-F]{4})_/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text;
}

/** Records what an element of a font or of a run's properties says; `value` is its attribute `val`. */
export function takeEmphasis(emphasis: Emphasis, name: string, value: string | undefined): void {
  if (name === 'vertAlign') {
    if (value === 'superscript') emphasis.superscript = true;
    if (value === 'subscript') emphasis.subscript = true;
    return;
  }
  const kind = kinds[name];
  if (kind !== undefined && !/^(?:0|false|off)$/i.test(value ?? '')) emphasis[kind] = true;
}

const kinds: Readonly<Record<string, 'bold' | 'italic' | 'strikethrough'>> = {
  b: 'bold',
  i: 'italic',
  strike: 'strikethrough',
};

/** Collects the text of an `si` or `is` element: its runs without phonetic readings (furigana). */
export type RichTextCollector = {
  open(name: string, value: string | undefined): void;
  text(piece: string): void;
  close(name: string): void;
  take(): RichText;
};

export function createRichTextCollector(): RichTextCollector {
  let plain = '';
  let runs: TextRun[] = [];
  let run: TextRun | undefined;
  let isText = false;
  let isProperties = false;
  let phonetic = 0;
  return {
    open(name, value) {
      if (name === 'rPh') phonetic += 1;
      else if (name === 'r') run = { text: '', emphasis: {} };
      else if (name === 'rPr') isProperties = true;
      else if (name === 't') isText = phonetic === 0;
      else if (isProperties && run !== undefined) takeEmphasis(run.emphasis, name, value);
    },
    text(piece) {
      if (!isText) return;
      if (run === undefined) plain += piece;
      else run.text += piece;
    },
    close(name) {
      if (name === 'rPh') phonetic -= 1;
      else if (name === 't') isText = false;
      else if (name === 'rPr') isProperties = false;
      else if (name === 'r' && run !== undefined) {
        run.text = withControls(run.text);
        if (run.text !== '') runs.push(run);
        run = undefined;
      }
    },
    take() {
      const text = runs.length === 0 ? withControls(plain) : [...(plain === '' ? [] : [plainRun(plain)]), ...runs];
      plain = '';
      runs = [];
      run = undefined;
      return text;
    },
  };
}

function plainRun(text: string): TextRun {
  return { text: withControls(text), emphasis: {} };
}

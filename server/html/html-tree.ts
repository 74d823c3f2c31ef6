import { Tokenizer } from 'htmlparser2';

/** An element of a page, with the attributes that show its purpose, or with all attributes. */
export type HtmlElement = {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly HtmlNode[];
};

type HtmlNode = HtmlElement | string;
type OpenElement = { name: string; attributes: Record<string, string>; children: HtmlNode[] };

const empty = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '));
/** Deeper elements become siblings: nobody reads them, and traversals stay shallow. */
const maxDepth = 400;
const used = new Set('class id role hidden href start value style rowspan colspan alt alttext encoding'.split(' '));

const cells = ['td', 'th'];
const rows = ['tr', ...cells];
const rowGroups = ['thead', 'tbody', 'tfoot', ...rows];
/** What an opening tag closes: an item ends where the next one begins. */
const closes: Readonly<Record<string, readonly string[]>> = {
  li: ['li'],
  dt: ['dt', 'dd'],
  dd: ['dt', 'dd'],
  tr: rows,
  td: cells,
  th: cells,
  thead: rowGroups,
  tbody: rowGroups,
  tfoot: rowGroups,
  option: ['option'],
  rb: ['rb', 'rt', 'rp', 'rtc'],
  rt: ['rb', 'rt', 'rp'],
  rp: ['rb', 'rt', 'rp'],
  rtc: ['rb', 'rt', 'rp', 'rtc'],
};
/** Where that search stops: a list within an item has its own items. */
const scopes = new Set(['ul', 'ol', 'menu', 'dl', 'table', 'select']);
const endsParagraph = new Set(
  (
    'address article aside blockquote div dl fieldset footer form h1 h2 h3 h4 h5 h6 header hr main nav ol p pre ' +
    'section table ul'
  ).split(' '),
);

export function elementsOf({ children }: HtmlElement): HtmlElement[] {
  return children.filter((child) => typeof child !== 'string');
}

/** The stack of open elements while a page is read. */
function createStack(isXml: boolean) {
  const root: OpenElement = { name: '', attributes: {}, children: [] };
  const stack: OpenElement[] = [root];
  const open = new Map<string, number>();
  const current = (): OpenElement => stack.at(-1) ?? root;
  function closeTo(depth: number): void {
    for (const { name } of stack.splice(Math.max(1, depth))) open.set(name, (open.get(name) ?? 1) - 1);
  }
  function closeImplied(name: string): void {
    if (endsParagraph.has(name) && current().name === 'p') closeTo(stack.length - 1);
    const others = closes[name];
    if (others === undefined) return;
    for (let depth = stack.length - 1; depth > 0; depth -= 1) {
      const above = stack[depth]?.name ?? '';
      if (scopes.has(above)) return;
      if (others.includes(above)) closeTo(depth);
    }
  }
  return {
    root,
    open(element: OpenElement): void {
      const { name } = element;
      if (!isXml) closeImplied(name);
      current().children.push(element);
      if ((!isXml && empty.has(name)) || stack.length >= maxDepth) return;
      stack.push(element);
      open.set(name, (open.get(name) ?? 0) + 1);
    },
    close(name: string): void {
      if ((open.get(name) ?? 0) > 0) closeTo(stack.findLastIndex((element) => element.name === name));
      else if (!isXml && (name === 'br' || name === 'p'))
        current().children.push({ name, attributes: {}, children: [] });
    },
    text(added: string): void {
      const { children } = current();
      const last = children.at(-1);
      if (typeof last === 'string') children[children.length - 1] = last + added;
      else children.push(added);
    },
  };
}

/** Reads a page in one pass: repairs common nesting errors, and never rejects anything. */
export function readHtml(text: string, { keepsAttributes = false } = {}): HtmlElement {
  return readTree(text, { isXml: false, keepsAttributes });
}

/**
 * Reads an XML document just as leniently: what is not well-formed is read as far as possible. Entities that the
 * document defines stay as they are.
 */
export function readXml(text: string): HtmlElement {
  return readTree(text, { isXml: true, keepsAttributes: false });
}

function readTree(text: string, { isXml, keepsAttributes }: { isXml: boolean; keepsAttributes: boolean }): HtmlElement {
  const stack = createStack(isXml);
  let element: OpenElement = { name: '', attributes: {}, children: [] };
  let [attribute, value] = ['', ''];
  const isUsed = (name: string): boolean => keepsAttributes || used.has(name);
  const nameAt = (start: number, end: number): string =>
    isXml ? text.slice(start, end) : text.slice(start, end).toLowerCase();
  const ignore = (): void => {};
  const open = (): void => {
    stack.open(element);
  };
  const tokenizer = new Tokenizer(
    { xmlMode: isXml, decodeEntities: true },
    {
      onopentagname(start, end) {
        element = { name: nameAt(start, end), attributes: {}, children: [] };
      },
      onattribname(start, end) {
        attribute = nameAt(start, end);
        value = '';
      },
      onattribdata(start, end) {
        if (isUsed(attribute)) value += text.slice(start, end);
      },
      onattribentity(code) {
        if (isUsed(attribute)) value += String.fromCodePoint(code);
      },
      onattribend() {
        if (isUsed(attribute)) element.attributes[attribute] ??= value;
      },
      onopentagend: open,
      onselfclosingtag() {
        stack.open(element);
        if (isXml) stack.close(element.name);
      },
      onclosetag(start, end) {
        stack.close(nameAt(start, end));
      },
      ontext(start, end) {
        stack.text(text.slice(start, end));
      },
      ontextentity(code) {
        stack.text(String.fromCodePoint(code));
      },
      oncdata(start, end, endOffset) {
        if (isXml) stack.text(text.slice(start, end - endOffset));
      },
      oncomment: ignore,
      ondeclaration: ignore,
      onprocessinginstruction: ignore,
      onend: ignore,
    },
  );
  tokenizer.write(text);
  tokenizer.end();
  return stack.root;
}

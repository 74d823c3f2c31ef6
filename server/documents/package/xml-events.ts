import { Parser } from 'htmlparser2';
import { documentProblems } from '../../kernel/sentences/index.ts';
import { PackageProblem } from './package-problem.ts';
import { isDeclaration, namesIn, withDeclarations, type NamesInScope } from './xml-namespaces.ts';

export type XmlAttributes = Readonly<Record<string, string>>;

/** The contents of an XML part in order, with names as `namesIn` gives them. */
export type XmlEvents = {
  open(name: string, attributes: XmlAttributes): void;
  text?(text: string): void;
  close?(name: string): void;
};

/** No real part nests this deep; per element, the parser needs time in proportion to the depth. */
export const maxDepth = 256;

type Scope = { depth: number; declarations: ReadonlyMap<string, string>; names: NamesInScope };

/**
 * Parses XML block by block, in any encoding that it declares. Names in the namespace of `home` come without a prefix.
 * Entities that the document defines are not expanded. Returns whether all elements were closed; throws
 * PackageProblem.
 */
export async function readXml(
  blocks: AsyncIterable<Uint8Array>,
  home: string,
  events: XmlEvents,
): Promise<{ isComplete: boolean }> {
  let depth = 0;
  let scope: Scope = { depth: 0, declarations: new Map(), names: namesIn(new Map(), home) };
  const outer: Scope[] = [];
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        depth += 1;
        if (depth > maxDepth) throw new PackageProblem(documentProblems.NESTED_TOO_DEEPLY.reason({}));
        let isPlain = true;
        let declares = false;
        for (const key in attributes) {
          if (isDeclaration(key)) declares = true;
          if (key.includes(':')) isPlain = false;
        }
        if (declares) {
          outer.push(scope);
          const declarations = withDeclarations(scope.declarations, attributes);
          scope = { depth, declarations, names: namesIn(declarations, home) };
        }
        events.open(scope.names.element(name), isPlain ? attributes : renamed(attributes, scope.names));
      },
      ontext: (text) => events.text?.(text),
      onclosetag(name) {
        events.close?.(scope.names.element(name));
        if (scope.depth === depth && outer.length > 0) scope = outer.pop() ?? scope;
        depth -= 1;
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  const texts = decoded(blocks);
  for await (const text of texts) parser.write(text);
  const isComplete = depth === 0;
  parser.end();
  return { isComplete };
}

/** This many characters at the beginning of a part hold its first element. */
const rootCharacters = 65_536;

/** The name of the first element, without reading the rest; undefined if there is none. */
export async function rootOf(blocks: AsyncIterable<Uint8Array>): Promise<string | undefined> {
  let root: string | undefined;
  let characters = 0;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        root ??= namesIn(withDeclarations(new Map(), attributes), '').element(name);
      },
    },
    { xmlMode: true },
  );
  for await (const text of decoded(blocks)) {
    parser.write(text);
    characters += text.length;
    if (root !== undefined || characters > rootCharacters) break;
  }
  return root;
}

function renamed(attributes: XmlAttributes, names: NamesInScope): XmlAttributes {
  const found: Record<string, string> = {};
  for (const [key, value] of Object.entries(attributes)) {
    if (!isDeclaration(key)) found[names.attribute(key)] ??= value;
  }
  return found;
}

/** This many bytes tell the encoding. */
const headBytes = 256;

async function* decoded(blocks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  let head: Uint8Array[] = [];
  let size = 0;
  for await (const block of blocks) {
    if (decoder !== undefined) {
      yield decoder.decode(block, { stream: true });
      continue;
    }
    head.push(block);
    size += block.length;
    if (size < headBytes) continue;
    const bytes = Buffer.concat(head);
    head = [];
    decoder = new TextDecoder(encodingOf(bytes));
    yield decoder.decode(bytes, { stream: true });
  }
  if (decoder === undefined) {
    const bytes = Buffer.concat(head);
    decoder = new TextDecoder(encodingOf(bytes));
    yield decoder.decode(bytes, { stream: true });
  }
  yield decoder.decode();
}

/** The encoding of XML by its byte order mark, its first character or its declaration; UTF-8 without any. */
export function encodingOf(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return 'utf-16be';
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, headBytes)).toString('latin1');
  const declared = /^(?:\u00ef\u00bb\u00bf)?\s*<\?xml\b[^>]*?\bencoding\s*=\s*["']([\w.:-]+)["']/.exec(head)?.[1];
  // A declaration that can be read byte by byte is not of UTF-16.
  if (declared === undefined || /^utf-?16|^ucs-?2|^iso-10646/i.test(declared)) return 'utf-8';
  try {
    return new TextDecoder(declared).encoding;
  } catch {
    return 'utf-8';
  }
}

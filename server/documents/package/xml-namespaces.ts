/**
 * The prefix by which this program names a namespace, whatever prefix a document gives it. The strict form of Office
 * Open XML has namespaces of its own for the same elements.
 */
const prefixes = new Map<string, string>([
  ['http://www.w3.org/XML/1998/namespace', 'xml'],
  ['http://purl.org/dc/elements/1.1/', 'dc'],
  ['http://schemas.openxmlformats.org/package/2006/content-types', 'types'],
  ['http://schemas.openxmlformats.org/package/2006/relationships', 'rels'],
  ['http://schemas.openxmlformats.org/package/2006/metadata/core-properties', 'cp'],
  ['http://schemas.openxmlformats.org/markup-compatibility/2006', 'mc'],
  ['urn:schemas-microsoft-com:vml', 'v'],
  ['urn:schemas-microsoft-com:office:office', 'o'],
  ['http://schemas.microsoft.com/office/word/2010/wordprocessingShape', 'wps'],
  ['http://schemas.microsoft.com/office/drawing/2014/chartex', 'cx'],
  ['http://schemas.microsoft.com/office/powerpoint/2018/8/main', 'p188'],
  ['urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0', 'calcext'],
  ['urn:oasis:names:tc:opendocument:xmlns:drawing:1.0', 'draw'],
  ['urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0', 'number'],
  ...['office', 'text', 'table', 'style', 'presentation', 'chart', 'form', 'script', 'meta', 'manifest'].map(
    (name) => [`urn:oasis:names:tc:opendocument:xmlns:${name}:1.0`, name] as const,
  ),
  ...Object.entries({
    w: 'wordprocessingml',
    x: 'spreadsheetml',
    p: 'presentationml',
    a: 'drawingml',
  }).flatMap(([prefix, name]) => [
    [`http://schemas.openxmlformats.org/${name}/2006/main`, prefix] as const,
    [`http://purl.oclc.org/ooxml/${name}/main`, prefix] as const,
  ]),
  ...Object.entries({
    c: 'chart',
    xdr: 'spreadsheetDrawing',
    wp: 'wordprocessingDrawing',
    pic: 'picture',
    dgm: 'diagram',
  }).flatMap(([prefix, name]) => [
    [`http://schemas.openxmlformats.org/drawingml/2006/${name}`, prefix] as const,
    [`http://purl.oclc.org/ooxml/drawingml/${name}`, prefix] as const,
  ]),
  ...Object.entries({ r: 'relationships', m: 'math' }).flatMap(([prefix, name]) => [
    [`http://schemas.openxmlformats.org/officeDocument/2006/${name}`, prefix] as const,
    [`http://purl.oclc.org/ooxml/officeDocument/${name}`, prefix] as const,
  ]),
]);

/** Names of elements and attributes in the scope of a document's declarations. */
export type NamesInScope = { element(name: string): string; attribute(name: string): string };

/** Declared prefix → namespace; the empty prefix is the default one. */
type Declarations = ReadonlyMap<string, string>;

/** Whether an attribute declares a namespace. */
export function isDeclaration(attribute: string): boolean {
  return attribute === 'xmlns' || attribute.startsWith('xmlns:');
}

/** The declarations in the scope of an element that adds these attributes. */
export function withDeclarations(outer: Declarations, attributes: Readonly<Record<string, string>>): Declarations {
  const inner = new Map(outer);
  for (const [name, namespace] of Object.entries(attributes))
    if (isDeclaration(name)) inner.set(name.slice('xmlns:'.length), namespace.trim());
  return inner;
}

/**
 * Names with this program's prefixes; names in the namespace of `home`, or in none, come without a prefix. A prefix that
 * is not declared is kept, and a namespace that is not known is written in braces.
 */
export function namesIn(declarations: Declarations, home: string): NamesInScope {
  const elements = new Map<string, string>();
  const attributes = new Map<string, string>();

  function plain(name: string, isElement: boolean): string {
    const colon = name.indexOf(':');
    if (colon === -1 && !isElement) return name;
    const written = name.slice(0, Math.max(colon, 0));
    const local = name.slice(colon + 1);
    const namespace = declarations.get(written) ?? '';
    const prefix = namespace === '' ? written : (prefixes.get(namespace) ?? `{${namespace}}`);
    if (prefix === '' || prefix === home) return local;
    return prefix.startsWith('{') ? `${prefix}${local}` : `${prefix}:${local}`;
  }

  function remembered(known: Map<string, string>, isElement: boolean): (name: string) => string {
    return (name) => {
      let found = known.get(name);
      if (found === undefined) known.set(name, (found = plain(name, isElement)));
      return found;
    };
  }
  return { element: remembered(elements, true), attribute: remembered(attributes, false) };
}

import { Parser } from 'htmlparser2';
import { sheetProblems } from '../../kernel/sentences/index.ts';
import { WorkbookProblem } from './workbook-problem.ts';

/** The contents of an XML part, in order; names come without prefix, attributes as written. */
export type XmlEvents = {
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  text(text: string): void;
  close(name: string): void;
};

/** No real sheet nests this deep; per element, the parser needs time in proportion to the depth. */
const maxDepth = 256;

/** Parses XML block by block. Entities that the document defines are not expanded. Throws WorkbookProblem. */
export async function readXml(blocks: AsyncIterable<Uint8Array>, events: XmlEvents): Promise<void> {
  let depth = 0;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        depth += 1;
        if (depth > maxDepth)
          throw new WorkbookProblem(sheetProblems.SHEET_NESTED_TOO_DEEPLY.reason({ limit: maxDepth }));
        events.open(plainName(name), attributes);
      },
      ontext: (text) => events.text(text),
      onclosetag(name) {
        depth -= 1;
        events.close(plainName(name));
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  for await (const block of blocks) {
    decoder ??= new TextDecoder(encodingOf(block));
    parser.write(decoder.decode(block, { stream: true }));
  }
  parser.end(decoder?.decode());
}

/** XML without a byte order mark is UTF-8. */
function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

function plainName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

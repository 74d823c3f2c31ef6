import { invalid } from '../../../kernel/errors.ts';
import { parameterProblems } from '../../../kernel/parameter-problems.ts';
import { parseFilePath } from '../../../kernel/file-path.ts';
import { idPattern } from '../../../kernel/ids.ts';
import { parseChecksum, type Checksum } from './checksums.ts';

/** The validated text fields of a chunk call. */
export type ChunkForm = {
  reqId: string;
  fileNo: number;
  fileName: string;
  totalChunkNum: number;
  chunkNo: number;
  checksum: Checksum | undefined;
};

const requiredChunkFields = ['reqId', 'fileNo', 'fileName', 'totalChunkNum', 'chunkNo'] as const;
type ChunkField = (typeof requiredChunkFields)[number] | 'checkSumHex';

const chunkFields: ReadonlySet<string> = new Set([...requiredChunkFields, 'checkSumHex']);
const id = new RegExp(idPattern);

/** The known fields, as sent. */
export type ChunkFields = Map<ChunkField, string>;

/** Adds a field; ignores unknown ones, throws INVALID_PARAMETER for a repeated one. */
export function addChunkField(fields: ChunkFields, name: string, value: string): void {
  if (name === 'file') throw invalid('file', parameterProblems.MUST_BE_SENT_AS_FILE.reason({}));
  if (!isChunkField(name)) return;
  if (fields.has(name)) throw invalid(name, parameterProblems.MUST_BE_GIVEN_ONCE.reason({}));
  fields.set(name, value);
}

/** Whether all required fields of a chunk are present. */
export function hasRequiredFields(fields: ChunkFields): boolean {
  return requiredChunkFields.every((name) => fields.has(name));
}

function isChunkField(name: string): name is ChunkField {
  return chunkFields.has(name);
}

/** Validates the syntax of all fields; throws INVALID_PARAMETER naming the first that is wrong or missing. */
export function parseChunkForm(fields: ChunkFields, maxChunksPerFile: number): ChunkForm {
  const reqId = required(fields, 'reqId');
  if (!id.test(reqId)) throw invalid('reqId', parameterProblems.IS_NO_REQUEST_ID.reason({}));
  const fileNo = integer(fields, 'fileNo', 0, Number.MAX_SAFE_INTEGER);
  const fileName = parseFilePath('fileName', required(fields, 'fileName'));
  const totalChunkNum = integer(fields, 'totalChunkNum', 1, maxChunksPerFile);
  const chunkNo = integer(fields, 'chunkNo', 1, totalChunkNum);
  const checkSumHex = fields.get('checkSumHex');
  const checksum = checkSumHex === undefined ? undefined : parseChecksum(checkSumHex);
  return { reqId, fileNo, fileName, totalChunkNum, chunkNo, checksum };
}

function required(fields: ChunkFields, name: ChunkField): string {
  const value = fields.get(name);
  if (value === undefined) throw invalid(name, parameterProblems.IS_REQUIRED.reason({}));
  return value;
}

function integer(fields: ChunkFields, name: ChunkField, minimum: number, maximum: number): number {
  const text = required(fields, name);
  if (!/^\d+$/.test(text)) throw invalid(name, parameterProblems.MUST_BE_INTEGER.reason({}));
  const number = Number(text);
  if (number < minimum || number > maximum)
    throw invalid(name, parameterProblems.MUST_BE_FROM.reason({ from: minimum, to: maximum }));
  return number;
}

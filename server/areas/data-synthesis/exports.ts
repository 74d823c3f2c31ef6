import type { Reason } from '../../kernel/sentences/index.ts';
import { parseExactly } from '../../kernel/exact-json.ts';
import { fileNameOf } from '../../kernel/file-path.ts';
import { invalid } from '../../kernel/errors.ts';
import { reasonOf } from '../../kernel/reasoned-error.ts';
import { noCounts, RunFailure, type Run, type RunContext } from '../../runs/index.ts';
import type { BlobStore, StagedBlob } from '../../storage/blobs/blob-store.ts';
import type { Database, Tx } from '../../storage/database/database.ts';
import { lockTargetOfTask, taskErrors, type Tasks } from '../../tasks/index.ts';
import type { DatasetAccess, NewFile } from '../data-management/index.ts';
import type { Output } from './checks.ts';
import type { SynthesisDefinition, SynthesisDetails } from './definition.ts';
import { synthesisErrors } from './errors.ts';
import { formatRecord } from './formats.ts';
import { listResult, type FoundRecord } from './queries/records.ts';
import { findRunWithRecords, findWork, updateWork } from './queries/works.ts';
import type { ExportResult, NewExport } from './schemas/records.ts';
import type { NewSynthesisTask, SynthesisFields } from './schemas/tasks.ts';
import { synthesisLog as said, synthesisProblems as problems } from './sentences.ts';
import { contentOf } from './record-rows.ts';

type SynthesisTasks = Tasks<NewSynthesisTask, SynthesisDefinition, SynthesisFields>;
type Target = { datasetId: string; version: number };

/** Writes records as files of datasets. */
export type Exports = {
  /** Writes the result of a run, unless an earlier drive has already done so. */
  writeResult(run: Run, context: RunContext): Promise<Target>;
  /**
   * Writes the records of the latest run with records again, replacing those written before. Throws TASK_RUNNING; and
   * instead of writing an empty file, INVALID_PARAMETER if the format fits no record, else SYNTHESIS_NO_RECORDS.
   */
  export(taskId: string, given: NewExport, by: string): Promise<ExportResult>;
};

const recordsAtOnce = 500;

export function createExports({
  db,
  blobs,
  datasets,
  tasks,
}: {
  db: Database;
  blobs: BlobStore;
  datasets: DatasetAccess;
  tasks: Pick<SynthesisTasks, 'get' | 'getRun' | 'lock' | 'redefine'>;
}): Exports {
  type Written = { staged: StagedBlob; written: number; notWritten: number };

  /** Writes all records of the result as JSON Lines, page by page. */
  async function write(taskId: string, details: SynthesisDetails): Promise<Written> {
    const { workId, format, template } = details;
    const writer = blobs.create();
    let written = 0;
    let notWritten = 0;
    try {
      for (let after = -1; ;) {
        const rows = await listResult(db.scan, { taskId, workId, after, limit: recordsAtOnce });
        const last = rows.at(-1);
        if (last === undefined) break;
        after = last.record_no;
        const lines: string[] = [];
        for (const row of rows) {
          const output = parseExactly(row.edited_output ?? row.output ?? '{}') as Output;
          const record = formatRecord(format, template.type, output, contentOf(row));
          if (record === undefined) notWritten += 1;
          else
            lines.push(
              `${JSON.stringify(details.provenance ? { ...record, _source: sourceOf(details, row) } : record)}\n`,
            );
        }
        written += lines.length;
        if (lines.length > 0) await writer.write(Buffer.from(lines.join('')));
      }
      const staged = await writer.finish();
      await blobs.flush();
      return { staged, written, notWritten };
    } catch (error) {
      await writer.abort();
      throw error;
    }
  }

  /** Adds the file to the target, which the first run creates; replaces that of an earlier run unless it is empty. */
  async function commit(
    tx: Tx,
    {
      taskId,
      staged,
      by,
      message,
    }: { taskId: string; staged: StagedBlob; by: string; message(taskName: string): Reason },
  ): Promise<Target & { isKept: boolean }> {
    const task = await tasks.lock(tx, taskId);
    if (task === undefined) throw new RunFailure(said.SYNTHESIS_TASK_DELETED.reason({}));
    const { definition } = task;
    const { targetDatasetName: name, ownsTarget } = definition;
    const known = await lockTargetOfTask(tx, datasets, definition);
    const datasetId = known?.id ?? (await datasets.insert(tx, { name, type: 'TEXT' }, by));
    if (datasetId !== definition.targetDatasetId)
      await tasks.redefine(tx, taskId, { ...definition, targetDatasetId: datasetId });
    const path = ownsTarget ? 'records.jsonl' : `${fileNamePart(task.name)}-${taskId.slice(-8)}.jsonl`;
    if (
      known !== undefined &&
      staged.sizeBytes === 0 &&
      (await datasets.filterGone(tx, datasetId, [{ path, blobId: null }])).length === 0
    )
      return { datasetId, version: known.version, isKept: true };
    await blobs.adopt(tx, [staged]);
    const { version } = await datasets.commit.addAll(
      tx,
      { datasetId, by, onConflict: 'REPLACE', message: message(task.name), slices: only(path, staged) },
      (outcome) => {
        if (outcome.kind === 'conflict') throw new RunFailure(reasonOf(outcome.error), { cause: outcome.error });
      },
    );
    return { datasetId, version, isKept: false };
  }

  return {
    async writeResult(run, context) {
      const details = run.details as SynthesisDetails;
      const before = await findWork(db.read, details.workId);
      if (before?.exported_version !== null && before !== undefined) {
        const { targetDatasetId } = await tasks.get(run.taskId);
        if (targetDatasetId !== null) return { datasetId: targetDatasetId, version: before.exported_version };
      }
      const { staged, written, notWritten } = await write(run.taskId, details);
      try {
        const counts = { ...noCounts, emitted: written };
        const target = await context.checkpoint({ counts }, async (tx) => {
          const message = (task: string): Reason => said.SYNTHESIS_WRITTEN_BY.reason({ task });
          const found = await commit(tx, { taskId: run.taskId, staged, by: run.createdBy, message });
          await updateWork(tx, details.workId, { exported_version: found.version });
          return found;
        });
        if (target === undefined) throw new Error('A checkpoint gave no target');
        if (notWritten > 0)
          await context.log('WARN', said.SYNTHESIS_NOT_WRITTEN.reason({ format: details.format, count: notWritten }));
        if (target.isKept) await context.log('WARN', said.SYNTHESIS_FILE_KEPT.reason({}));
        return { datasetId: target.datasetId, version: target.version };
      } finally {
        await blobs.settle([staged]);
      }
    },

    async export(taskId, { format, provenance }, by) {
      if ((await tasks.get(taskId)).status === 'RUNNING') throw taskErrors.TASK_RUNNING({ id: taskId });
      const runId = await findRunWithRecords(db.read, taskId);
      if (runId === undefined) throw synthesisErrors.SYNTHESIS_NO_RECORDS({ id: taskId });
      const run = await tasks.getRun(taskId, runId);
      const details = run.details as SynthesisDetails;
      const wanted = { ...details, format: format ?? details.format, provenance: provenance ?? details.provenance };
      const { staged, written, notWritten } = await write(taskId, wanted);
      try {
        if (written === 0 && notWritten > 0)
          throw invalid('format', problems.FORMAT_NEEDS_FIELDS.reason({ format: wanted.format }));
        if (written === 0) throw synthesisErrors.SYNTHESIS_NO_RECORDS({ id: taskId });
        const message = (task: string): Reason => said.SYNTHESIS_EXPORTED.reason({ task });
        const { datasetId, version } = await db.write((tx) => commit(tx, { taskId, staged, by, message }));
        return { datasetId, version, runId, runNumber: run.number, records: written, notWritten };
      } finally {
        await blobs.settle([staged]);
      }
    },
  };
}

async function* only(path: string, { id, sizeBytes }: StagedBlob): AsyncGenerator<NewFile[]> {
  yield [{ path, originalName: fileNameOf(path), sizeBytes, status: 'COMPLETED', blobId: id }];
}

/** Makes a name usable as part of a path. */
function fileNamePart(name: string): string {
  return (
    name
      .replaceAll(/[^\p{L}\p{N}_.-]+/gu, '-')
      .replaceAll(/^[-.]+|[-.]+$/g, '')
      .slice(0, 60) || 'records'
  );
}

function sourceOf(details: SynthesisDetails, row: FoundRecord): Record<string, unknown> {
  const { sourceDatasetId, sourceVersion, model, templateId, templateVersion } = details;
  return {
    recordId: row.record_id,
    datasetId: sourceDatasetId,
    version: sourceVersion,
    fileId: row.file_id,
    filePath: row.file_path,
    ...(row.row_no === null ? {} : { row: row.row_no }),
    ...(row.start_at === null ? {} : { start: row.start_at, end: row.end_at }),
    model,
    templateId,
    templateVersion,
    ...(row.score === null ? {} : { score: row.score }),
    edited: row.edited_output !== null,
  };
}

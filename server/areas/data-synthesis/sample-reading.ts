import { reasonColumns } from '../../kernel/sentences/index.ts';
import { findPurged } from '../../engine/index.ts';
import { isoNow } from '../../kernel/clock.ts';
import { RunFailure, type Run, type RunContext } from '../../runs/index.ts';
import type { SynthesisSamplesTable } from '../../storage/database/tables/data-synthesis.ts';
import type { SynthesisDetails } from './definition.ts';
import { deleteSamples, findWork, insertSamples, insertWork, updateWork } from './queries/works.ts';
import { createSampleKeys } from './sample-keys.ts';
import { synthesisLog as said } from './sentences.ts';
import type { SourceSample } from './source-samples.ts';
import type { SynthesisServices } from './synthesis-services.ts';

const samplesAtOnce = 500;
/** Maximum number of empty files named in the log. */
const namedAtMost = 50;

/** Reads and stores the samples, unless an earlier drive has already done so. */
export async function openWork(
  { db, clock, samples, forecasts }: SynthesisServices,
  run: Run,
  context: RunContext,
): Promise<void> {
  const details = run.details as SynthesisDetails;
  const { workId, perSample, maxSamples } = details;
  const known = await findWork(db.read, workId);
  if (known?.is_read === 1) return;
  await context.checkpoint({ phase: 'READ' }, async (tx) => {
    // An interrupted drive starts over, since reading costs nothing.
    if (known !== undefined) await deleteSamples(tx, workId);
    else
      await insertWork(tx, {
        work_id: workId,
        task_id: run.taskId,
        run_id: run.id,
        model_id: details.model,
        template_type: details.template.type,
        samples: 0,
        is_read: 0,
        retried_by: null,
        forecast: null,
        spent_ms: 0,
        exported_version: null,
        created_at: isoNow(clock),
      });
  });
  const keyOf = createSampleKeys();
  let waiting: SynthesisSamplesTable[] = [];
  let count = 0;
  let [skipped, empty] = [0, 0];
  const emptyNames: string[] = [];
  const store = async (): Promise<void> => {
    const rows = waiting;
    waiting = [];
    await context.checkpoint({}, (tx) => insertSamples(tx, rows));
  };
  const source = { ...details, datasetId: details.sourceDatasetId, version: details.sourceVersion };
  for await (const item of samples.read(source)) {
    context.signal.throwIfAborted();
    if ('skipped' in item && item.isEmpty) {
      empty += 1;
      if (empty <= namedAtMost) emptyNames.push(item.skipped);
    } else if ('skipped' in item) skipped += 1;
    if (!('sample' in item)) continue;
    waiting.push(sampleRow(workId, count, item.sample, keyOf(item.sample)));
    count += 1;
    if (waiting.length >= samplesAtOnce) await store();
    if (count === maxSamples) break;
  }
  const names = emptyNames.join(', ');
  if (empty > namedAtMost) await context.log('WARN', said.SYNTHESIS_EMPTY_SUCH_AS.reason({ count: empty, names }));
  else if (empty > 0) await context.log('WARN', said.SYNTHESIS_EMPTY.reason({ names }));
  const purged =
    details.purges === undefined ? undefined : await findPurged(samples.walkPurged(source, details.purges));
  if (purged !== undefined) throw purged;
  if (count === 0) throw new RunFailure(said.SYNTHESIS_NO_SAMPLES.reason({}));
  await store();
  const forecast = await forecasts.ofWork(details, count);
  await context.checkpoint({ total: count * perSample, skipped: skipped + empty }, (tx) =>
    updateWork(tx, workId, { samples: count, is_read: 1, forecast: JSON.stringify(forecast) }),
  );
  await context.log('INFO', said.SYNTHESIS_READ.reason({ samples: count, skipped, empty }));
}

function sampleRow(workId: string, number: number, sample: SourceSample, key: string): SynthesisSamplesTable {
  return {
    work_id: workId,
    sample_no: number,
    file_id: sample.fileId,
    file_path: sample.filePath,
    row_no: sample.rowNumber,
    start_at: sample.start,
    end_at: sample.end,
    text: sample.text,
    fields: sample.row === null ? null : JSON.stringify(sample.row),
    ...reasonColumns('problem', sample.problem),
    sample_key: key,
  };
}

import { foreign } from '../../kernel/sentences/index.ts';
import { RunFailure, type Run, type RunContext, type RunKind } from '../../runs/index.ts';
import type { SynthesisDetails } from './definition.ts';
import { countRecords, findFailure } from './queries/records.ts';
import { deleteWorkOf, moveWork } from './queries/works.ts';
import { makeRecords, takeBackFailed } from './record-making.ts';
import { openWork } from './sample-reading.ts';
import { failureOf } from './record-rows.ts';
import { synthesisLog as said } from './sentences.ts';
import type { SynthesisServices } from './synthesis-services.ts';

/** The kind of runs that make records from the samples of a dataset. */
export function createSynthesisKind(services: SynthesisServices): RunKind {
  return {
    kind: 'data-synthesis',
    // Bytes are in the data folder of the process, unless all share one storage.
    needsOwnPlace: services.blobs.shared === undefined,
    isForCluster: true,
    drive: (run, context) => drive(services, run, context),
    resume: moveWork,
    remove: deleteWorkOf,
    trace(run) {
      const { taskName, model, judge, templateId: id, templateVersion: version } = run.details as SynthesisDetails;
      const models = [...new Set([model, judge?.model ?? model])];
      return { taskName, models, template: { id, version } };
    },
  };
}

async function drive(services: SynthesisServices, run: Run, context: RunContext): Promise<void> {
  const { db, exports } = services;
  const details = run.details as SynthesisDetails;
  await openWork(services, run, context);
  await takeBackFailed(services, run, context);
  await makeRecords(services, run, context);
  const facets = await countRecords(db.read, run.taskId, details.workId);
  if (facets.every(({ verdict }) => verdict === 'FAILED')) {
    const failure = await findFailure(db.read, details.workId);
    throw new RunFailure(
      said.SYNTHESIS_NOTHING_MADE.reason({ why: failure === undefined ? foreign('') : failureOf(failure) }),
    );
  }
  await context.checkpoint({ phase: 'WRITE' });
  const target = await exports.writeResult(run, context);
  await context.complete((_tx, { setTargets }) => setTargets([target]));
}

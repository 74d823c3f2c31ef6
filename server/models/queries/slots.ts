import type { Tx } from '../../storage/database/database.ts';
import type { ModelSlotsTable } from '../../storage/database/tables/models.ts';

/** Locks a model's row until the transaction ends; required to distribute its slots. */
export async function lockSlots(tx: Tx, modelId: string): Promise<void> {
  await tx
    .insertInto('model_slots')
    .values({ model_id: modelId, process_id: '', held: 0, wanted: 0, expires_at: 0, paused_until: 0 })
    .onConflict((conflict) => conflict.columns(['model_id', 'process_id']).doUpdateSet({ wanted: 0 }))
    .execute();
}

/** The slots of a model that other processes hold and want. */
export async function listOtherSlots(
  tx: Tx,
  { modelId, processId, now }: { modelId: string; processId: string; now: number },
): Promise<ModelSlotsTable[]> {
  return tx
    .selectFrom('model_slots')
    .selectAll()
    .where('model_id', '=', modelId)
    .where('process_id', 'not in', ['', processId])
    .where('expires_at', '>', now)
    .execute();
}

export async function upsertSlots(tx: Tx, row: ModelSlotsTable): Promise<void> {
  const { held, wanted, expires_at, paused_until } = row;
  await tx
    .insertInto('model_slots')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['model_id', 'process_id']).doUpdateSet({ held, wanted, expires_at, paused_until }),
    )
    .execute();
}

export async function deleteSlots(tx: Tx, modelId: string, processId: string): Promise<void> {
  await tx.deleteFrom('model_slots').where('model_id', '=', modelId).where('process_id', '=', processId).execute();
}

/** Deletes the slots that a process holds, of all models. */
export async function deleteSlotsOf(tx: Tx, processId: string): Promise<void> {
  await tx.deleteFrom('model_slots').where('process_id', '=', processId).execute();
}

/** Deletes the slots of dead processes. */
export async function deleteExpiredSlots(tx: Tx, now: number): Promise<void> {
  await tx.deleteFrom('model_slots').where('expires_at', '<=', now).where('process_id', '<>', '').execute();
}

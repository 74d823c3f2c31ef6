/** The chosen connector of a new task, and the dataset that the task writes to. */
export type NewTaskSearch = { connector?: string; dataset?: string };

export function readNewTaskSearch({ connector, dataset }: Record<string, unknown>): NewTaskSearch {
  return {
    ...(typeof connector === 'string' ? { connector } : {}),
    ...(typeof dataset === 'string' ? { dataset } : {}),
  };
}

import { api, dataOf } from '../../api/client.ts';

const longest = 100;
const looked = 1_000;

/** The name, with the next free number appended if it is taken: `Notes`, `Notes 2`, `Notes 3`. */
export async function freeDatasetName(name: string): Promise<string> {
  const found = await dataOf(
    api.GET('/api/v1/data-management/datasets', { params: { query: { keyword: name, size: looked } } }),
  );
  return nameThatDiffers(name, new Set(found.content.map((dataset) => dataset.name)));
}

export function nameThatDiffers(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  for (let number = 2; ; number += 1) {
    const suffix = ` ${number}`;
    const proposal = `${[...name].slice(0, longest - suffix.length).join('')}${suffix}`;
    if (!taken.has(proposal)) return proposal;
  }
}

// Uploads by the web application, against a program that sends the same chunks.
import { openAsBlob } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { crc32 } from '../server/kernel/crc32.ts';
import { writeContent } from './content.ts';
import { comparePairs } from './pairs.ts';
import { createDataset, postJson, type RunningService } from './running-service.ts';

const mebibyte = 1024 ** 2;
const chunkBytes = 8 * mebibyte;
const parallel = 4;
const sizeBytes = Number(process.env['TILTH_BENCH_MIB'] ?? 2048) * mebibyte;
const smallFiles = Number(process.env['TILTH_BENCH_FILES'] ?? 10_000);
const smallFileBytes = 3_500;

export async function compareUploads(
  page: Page,
  origin: string,
  service: RunningService,
  folder: string,
): Promise<void> {
  const path = join(folder, 'file.bin');
  await writeContent(path, sizeBytes);
  const mib = sizeBytes / mebibyte;
  const measured = async (send: (dataset: string) => Promise<number>): Promise<number> => {
    const dataset = await createDataset(service);
    const seconds = await send(dataset);
    await fetch(dataset, { method: 'DELETE', headers: service.headers });
    return mib / seconds;
  };
  const ratio = await comparePairs(
    `upload of ${mib} MiB from the browser against a program, ${parallel} chunks in flight each`,
    {
      name: 'browser',
      unit: 'MiB/s',
      run: () =>
        measured(async (dataset) => {
          await page.goto(`${origin}/datasets/${dataset.split('/').at(-1)}/upload`);
          await page.locator('input[type=file][aria-label="Choose files"]').setInputFiles(path);
          const start = page.getByRole('button', { name: 'Upload 1 file' });
          await start.waitFor();
          const begun = performance.now();
          await start.click();
          await page.getByRole('heading', { name: 'Uploaded', exact: true }).waitFor();
          return (performance.now() - begun) / 1000;
        }),
    },
    { name: 'program', unit: 'MiB/s', run: () => measured((dataset) => sendByProgram(dataset, service, path)) },
  );
  if (ratio < 0.5) process.exitCode = 1;
}

/** Reads, checks and sends the chunks of a file by fetch, as a script would. Returns seconds. */
async function sendByProgram(dataset: string, service: RunningService, path: string): Promise<number> {
  const file = await openAsBlob(path);
  const begun = performance.now();
  const reqId = await postJson(
    `${dataset}/files/upload/pre-upload`,
    { totalFileNum: 1, totalSize: sizeBytes, chunkSize: chunkBytes },
    service.headers,
  );
  const totalChunkNum = Math.ceil(sizeBytes / chunkBytes);
  let next = 1;
  const send = async (): Promise<void> => {
    for (let chunkNo = next++; chunkNo <= totalChunkNum; chunkNo = next++) {
      const bytes = new Uint8Array(await file.slice((chunkNo - 1) * chunkBytes, chunkNo * chunkBytes).arrayBuffer());
      const form = new FormData();
      const checkSumHex = crc32(bytes).toString(16).padStart(8, '0');
      const fields = { reqId: String(reqId), fileNo: 0, fileName: 'file.bin', totalChunkNum, chunkNo, checkSumHex };
      for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
      form.append('file', new Blob([bytes]), 'chunk');
      const answer = await fetch(`${dataset}/files/upload/chunk`, {
        method: 'POST',
        headers: service.headers,
        body: form,
      });
      if (!answer.ok) throw new Error(`A chunk was answered ${answer.status}: ${await answer.text()}`);
      await answer.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: parallel }, send));
  return (performance.now() - begun) / 1000;
}

/** A folder of many small files, from the click until the page reports that all are stored. */
export async function measureSmallFiles(
  page: Page,
  origin: string,
  service: RunningService,
  folder: string,
): Promise<void> {
  const directory = join(folder, 'small');
  await mkdir(directory);
  for (let index = 0; index < smallFiles; index++)
    await writeFile(join(directory, `${index}.txt`), `${index}\n`.padEnd(smallFileBytes, 'tilth '));
  const dataset = await createDataset(service);
  await page.goto(`${origin}/datasets/${dataset.split('/').at(-1)}/upload`);
  await page.locator('input[type=file][aria-label="Choose folder"]').setInputFiles(directory);
  const start = page.getByRole('button', { name: /^Upload [\d,]+ files/ });
  await start.waitFor();
  const begun = performance.now();
  await start.click();
  await page.getByRole('heading', { name: 'Uploaded', exact: true }).waitFor();
  const seconds = (performance.now() - begun) / 1000;
  const answer = await fetch(dataset, { headers: service.headers });
  const { fileCount, version } = (await answer.json()) as { fileCount: number; version: number };
  if (fileCount !== smallFiles) throw new Error(`${fileCount} of ${smallFiles} files are stored`);
  console.log(
    `  ${smallFiles} files of ${smallFileBytes} bytes from the browser: ${seconds.toFixed(1)} s, ` +
      `${(smallFiles / seconds).toFixed(0)} files/s, ${version - 1} versions`,
  );
}

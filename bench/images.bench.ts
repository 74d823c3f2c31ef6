// Operators that change images against ImageMagick's `mogrify`, which reads and writes the same files with the same
// settings: pictures per CPU second. Up to half of the pictures are photographs and screenshots from the machine
// (`TILTH_BENCH_PICTURES`, by default /usr/share and the documents of Tilth); the others are generated: clouds of many
// sizes in three colours, with camera grain.
import { execFile } from 'node:child_process';
import { globSync, readFileSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import sharp, { type Sharp } from 'sharp';
import { isBatchOperator, operators, parseParams, type Media } from '../server/operators/index.ts';
import { createRandom } from './corpus/corpus.ts';
import { printMachine } from './machine.ts';
import { noEffects } from '../tests/support/model-effects.ts';

type Comparison = { id: string; params: object; magick: readonly string[] };

const execute = promisify(execFile);
const rounds = 2;
const mostFound = 6;
const leastBytes = 80_000;
const types: Readonly<Record<string, string>> = { '.jpg': 'image/jpeg', '.jpeg': 'image/jpeg', '.png': 'image/png' };
/** Tilth's output settings: JPEG with a quality of 90, PNG with zlib level 6 and without filters. */
const written = ['-quality', '90', '-define', 'png:compression-level=6', '-define', 'png:compression-filter=0'];

const comparisons: readonly Comparison[] = [
  { id: 'image-resizer', params: { width: 640, height: 640 }, magick: ['-auto-orient', '-resize', '640x640>'] },
  {
    id: 'image-cropper',
    params: { width: 512, height: 512 },
    magick: ['-auto-orient', '-gravity', 'center', '-crop', '512x512+0+0', '+repage'],
  },
  { id: 'image-converter', params: { format: 'WEBP' }, magick: ['-format', 'webp', '-quality', '85'] },
  { id: 'image-orienter', params: {}, magick: ['-auto-orient'] },
  { id: 'image-grayscaler', params: {}, magick: ['-colorspace', 'Gray'] },
  { id: 'image-brightness-adjuster', params: { factor: 1.2 }, magick: ['-evaluate', 'multiply', '1.2'] },
  { id: 'image-contrast-adjuster', params: { factor: 1.2 }, magick: ['-brightness-contrast', '0x20'] },
  { id: 'image-saturation-adjuster', params: { factor: 1.2 }, magick: ['-modulate', '100,120'] },
  { id: 'image-sharpener', params: { radius: 1 }, magick: ['-sharpen', '0x1'] },
  { id: 'image-denoiser', params: { size: 3 }, magick: ['-statistic', 'Median', '3x3'] },
  { id: 'image-metadata-remover', params: {}, magick: ['-strip'] },
];

await main();

async function main(): Promise<void> {
  printMachine();
  const directory = await mkdtemp(join(process.env['TILTH_BENCH_DIRECTORY'] ?? tmpdir(), 'tilth-bench-'));
  const [source, target] = [join(directory, 'source'), join(directory, 'target')];
  try {
    await mkdir(source);
    await mkdir(target);
    const found = await takePictures(source);
    await makePictures(source, 2 * mostFound - found);
    const paths = (await readdir(source)).map((name) => join(source, name));
    const bytes = paths.reduce((sum, path) => sum + statSync(path).size, 0);
    console.log(
      `${paths.length} pictures, ${found} of them found on the machine, of ${(bytes / paths.length / 1e6).toFixed(2)} MB on average`,
    );
    console.log('| Operator | Pictures/s | mogrify | Ratio (each round) |\n|---|---|---|---|');
    for (const comparison of comparisons) await compare(comparison, paths, target);
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Reads, changes and writes all pictures, alternating with mogrify, so that noise of the machine affects both. */
async function compare({ id, params, magick }: Comparison, paths: readonly string[], target: string): Promise<void> {
  await changeAll(id, params, paths.slice(0, 1), target);
  const [own, peer]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    own.push(paths.length / (await changeAll(id, params, paths, target)));
    peer.push(paths.length / (await mogrify(magick, paths, target)));
  }
  const ratios = own.map((rate, round) => rate / (peer[round] ?? 0));
  const mean = (rates: readonly number[]): string => (rates.reduce((sum, rate) => sum + rate, 0) / rounds).toFixed(1);
  console.log(`| \`${id}\` | ${mean(own)} | ${mean(peer)} | ${ratios.map((ratio) => ratio.toFixed(1)).join(', ')} |`);
}

/** Returns CPU seconds. */
async function changeAll(id: string, given: object, paths: readonly string[], target: string): Promise<number> {
  const operator = operators.find((one) => one.id === id);
  if (operator === undefined || !isBatchOperator(operator)) throw new Error(`${id} takes no batches`);
  const parsed = parseParams(operator, given);
  if (!parsed.ok) throw new Error(`${id}: ${parsed.field} ${parsed.problem.text}`);
  const begun = process.cpuUsage();
  const { run } = operator.batch(parsed.params, noEffects());
  for (const [number, path] of paths.entries()) {
    const media: Media = { type: types[extname(path)] ?? '', bytes: readFileSync(path) };
    const [outcome] = await run([{ media: [media] }], new AbortController().signal);
    if (outcome instanceof Error) throw outcome;
    const made = (outcome !== undefined && 'media' in outcome ? outcome.media?.[0] : undefined) ?? media;
    await writeFile(join(target, `${number}`), made.encode === undefined ? made.bytes : await made.encode());
  }
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1e6;
}

/** Returns CPU seconds, of one process and thread for all pictures. */
async function mogrify(magick: readonly string[], paths: readonly string[], target: string): Promise<number> {
  const args = ['mogrify', ...written, ...magick, '-path', target, ...paths];
  const script = 'TIMEFORMAT="%U %S"; time "$@" 2>/dev/null';
  const { stderr } = await execute('bash', ['-c', script, 'bash', ...args], {
    env: { ...process.env, MAGICK_THREAD_LIMIT: '1', OMP_NUM_THREADS: '1' },
  });
  const [user = NaN, system = NaN] = stderr.trim().split(' ').map(Number);
  return user + system;
}

/** Copies pictures of the machine, the largest first. Returns their number. */
async function takePictures(directory: string): Promise<number> {
  const given = process.env['TILTH_BENCH_PICTURES'];
  const folders = given === undefined ? ['/usr/share', 'docs/images'] : [given];
  const found = folders
    .flatMap((folder) => globSync(`${folder}/**/*.{jpg,jpeg,png}`))
    .map((path) => ({ path, sizeBytes: statSync(path).size }))
    .filter(({ sizeBytes }) => sizeBytes >= leastBytes)
    .toSorted((one, other) => other.sizeBytes - one.sizeBytes)
    .slice(0, mostFound);
  for (const [number, { path }] of found.entries()) {
    // With a camera's metadata, and rotated, so that every operator has something to do.
    const image = sharp(readFileSync(path))
      .withExif({ IFD0: { Make: 'Camera' } })
      .withMetadata({ orientation: 6 });
    const isPng = path.endsWith('.png');
    const bytes = await (isPng ? image.png() : image.jpeg({ quality: 90 })).toBuffer();
    await writeFile(join(directory, `found-${number}.${isPng ? 'png' : 'jpg'}`), bytes);
  }
  return found.length;
}

async function makePictures(directory: string, count: number): Promise<void> {
  for (let number = 0; number < count; number += 1) {
    const image = await drawClouds(number + 1, 2000, 1500);
    const bytes = await image.withMetadata({ orientation: 6 }).jpeg({ quality: 90 }).toBuffer();
    await writeFile(join(directory, `made-${number}.jpg`), bytes);
  }
}

/** Noise at seven scales, each half as strong as the one before, plus single-pixel noise. */
async function drawClouds(seed: number, width: number, height: number): Promise<Sharp> {
  const random = createRandom(seed);
  const sum = new Float32Array(width * height * 3);
  for (let octave = 0; octave < 8; octave += 1) {
    const [columns, rows] = [4 << octave, 3 << octave];
    const raw = Buffer.from(Array.from({ length: columns * rows * 3 }, () => Math.floor(random() * 256)));
    const cloud = await sharp(raw, { raw: { width: columns, height: rows, channels: 3 } })
      .resize(width, height, { kernel: 'cubic', fit: 'fill' })
      .raw()
      .toBuffer();
    const weight = 0.5 ** (octave + 1);
    for (let at = 0; at < sum.length; at += 1) sum[at] = (sum[at] ?? 0) + (cloud[at] ?? 0) * weight;
  }
  const pixels = Buffer.alloc(sum.length);
  for (let at = 0; at < sum.length; at += 1) {
    pixels[at] = Math.max(0, Math.min(255, (sum[at] ?? 0) + (random() - 0.5) * 10));
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } });
}

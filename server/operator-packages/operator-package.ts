import { ReasonedError } from '../kernel/reasoned-error.ts';
import { parseParams } from '../operators/index.ts';
import { toOperator } from './published-operator.ts';
import { findManifestProblem, type OperatorManifest } from './manifest.ts';
import { digestOf, iconPath, manifestPath, readmePath, signaturePath, type PackageFiles } from './package-files.ts';
import { packageProblems } from './sentences.ts';
import { readSignature } from './signature.ts';

/** A package that can not be used; the message says why. */
export class PackageRefused extends ReasonedError {
  override readonly name = 'PackageRefused';
}

/** A package whose files and manifest have been checked; its code has not run yet. */
export type OperatorPackage = {
  readonly manifest: OperatorManifest;
  readonly digest: string;
  readonly code: PackageCode;
  readonly readme: string;
  /** A PNG. */
  readonly icon: Uint8Array | undefined;
  /** Ed25519 over the digest. */
  readonly signature: Uint8Array | undefined;
  readonly files: PackageFiles;
};

export type PackageCode = { readonly kind: 'js' | 'wasm'; readonly bytes: Uint8Array };

const kibibyte = 1024;
const limits = { manifest: 256 * kibibyte, readme: 256 * kibibyte, icon: 64 * kibibyte, code: 4096 * kibibyte };
const pngStart = Buffer.from('89504e470d0a1a0a', 'hex');

/** Checks the files of a package and its manifest. Throws PackageRefused. */
export function readPackage(files: PackageFiles): OperatorPackage {
  const manifest = readManifest(fileOf(files, manifestPath, limits.manifest));
  const code = fileOf(files, manifest.entry, limits.code);
  const kind = manifest.entry.endsWith('.wasm') ? 'wasm' : 'js';
  if (kind === 'js') textOf(manifest.entry, code);
  const icon = files.has(iconPath) ? fileOf(files, iconPath, limits.icon) : undefined;
  if (icon !== undefined && !Buffer.from(icon).subarray(0, 8).equals(pngStart)) {
    throw new PackageRefused(packageProblems.PACKAGE_BAD_ICON.reason({ path: iconPath }));
  }
  const signed = files.get(signaturePath);
  const signature = signed === undefined ? undefined : readSignature(signed);
  if (signed !== undefined && signature === undefined) {
    throw new PackageRefused(packageProblems.PACKAGE_BAD_SIGNATURE.reason({}));
  }
  return {
    manifest,
    digest: digestOf(files),
    code: { kind, bytes: code },
    readme: textOf(readmePath, fileOf(files, readmePath, limits.readme)),
    icon,
    signature,
    files,
  };
}

function readManifest(bytes: Uint8Array): OperatorManifest {
  const value = parseJson(manifestPath, textOf(manifestPath, bytes));
  const wrong = findManifestProblem(value);
  if (wrong !== undefined) throw new PackageRefused(packageProblems.PACKAGE_FIELD.reason(wrong));
  const manifest = value as OperatorManifest;
  for (const [at, { params }] of manifest.examples.entries()) {
    const parsed = parseParams(toOperator(manifest), params);
    if (parsed.ok) continue;
    const field = `examples.${at}.params${parsed.field === '' ? '' : `.${parsed.field}`}`;
    throw new PackageRefused(packageProblems.PACKAGE_FIELD.reason({ field, problem: parsed.problem }));
  }
  return manifest;
}

function fileOf(files: PackageFiles, path: string, maxBytes: number): Uint8Array {
  const bytes = files.get(path);
  if (bytes === undefined) throw new PackageRefused(packageProblems.PACKAGE_LACKS.reason({ path }));
  if (bytes.length > maxBytes) {
    throw new PackageRefused(packageProblems.PACKAGE_FILE_TOO_LARGE.reason({ path, limit: maxBytes / kibibyte }));
  }
  return bytes;
}

function textOf(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new PackageRefused(packageProblems.PACKAGE_NOT_TEXT.reason({ path }));
  }
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new PackageRefused(packageProblems.PACKAGE_NOT_JSON.reason({ path }));
  }
}

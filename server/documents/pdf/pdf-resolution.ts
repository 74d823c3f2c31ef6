import { registerHooks } from 'node:module';
import { ownModule } from '../../kernel/built-modules.ts';

const original = import.meta.resolve('pdfjs-dist/legacy/build/pdf.mjs');
const ours = ownModule(new URL('pdf-library.ts', import.meta.url)).href;
let isPrepared = false;

/**
 * Makes officeparser use our pdf.js instead of its own, as it has no option for character maps; call before it reads
 * its first PDF.
 */
export function preparePdfLibrary(): void {
  if (isPrepared) return;
  isPrepared = true;
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const resolved = nextResolve(specifier, context);
      const isForOfficeParser = context.parentURL?.includes('/node_modules/officeparser/') === true;
      if (!isForOfficeParser || resolved.url !== original) return resolved;
      return { ...resolved, url: ours, format: ours.endsWith('.ts') ? 'module-typescript' : 'module' };
    },
  });
}

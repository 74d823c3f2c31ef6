import type { RunArea } from '../../runs/run-area.ts';

export const synthesis: RunArea = { prefix: 'data-synthesis', path: '/synthesis' };

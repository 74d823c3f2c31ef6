export { checkLane, type LaneCheck } from './bubblewrap.ts';
export type { LaneName, OperatorCode } from './lane.ts';
export { examinationLimits, sandboxLimits, type SandboxLimits } from './limits.ts';
export type { SandboxAnswer } from './batches.ts';
export { CodeRefused, createSandbox, type Sandbox, type SandboxedCode } from './sandbox.ts';

export { checkLane, type LaneCheck } from './bubblewrap.ts';
export type { LaneName, OperatorCode } from './lane.ts';
export { sandboxLimits, type SandboxLimits } from './limits.ts';
export { CodeRefused, createSandbox, type Sandbox, type SandboxAnswer, type SandboxedCode } from './sandbox.ts';

export { moveInstallation, requireNotMoved, MoveError, type Moved, type MoveOptions } from './moving.ts';

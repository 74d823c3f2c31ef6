import type { RtfFormField } from './rtf-form-fields.ts';
import { firstState, type RtfState } from './rtf-state.ts';

/** The groups that are open. */
export type RtfGroups = {
  /** State of the innermost group, or of the text outside all groups. */
  readonly state: RtfState;
  readonly depth: number;
  open(): void;
  /** Adds what is done when the innermost group ends. */
  onEnd(act: () => void): void;
  /** Does what was added for the end of the innermost group, the last first; the group stays open. */
  end(): void;
  /** Leaves the innermost group: the state is again that of the group around it. */
  leave(): void;
  /** State around the innermost group, or around one further out. */
  stateAround(further?: number): RtfState | undefined;
  startField(): void;
  /** The innermost field. */
  readonly field: RtfField | undefined;
  addInstruction(text: string): void;
  /** Instruction of the innermost field; '' outside fields. */
  readonly instruction: string;
  /** Makes the text of the innermost group a link; without a target it stays what it is. */
  setLink(target: string | undefined): void;
  readonly link: string | undefined;
};

export type RtfField = { instruction: string; form: RtfFormField | undefined; hasText: boolean };
type Group = { before: RtfState; onEnd: (() => void)[]; field: RtfField | undefined; link: string | undefined };

export function createRtfGroups(): RtfGroups {
  const groups: Group[] = [];
  let state: RtfState = { ...firstState };
  const field = (): RtfField | undefined => groups.findLast((group) => group.field !== undefined)?.field;

  return {
    get state() {
      return state;
    },
    get depth() {
      return groups.length;
    },
    open() {
      groups.push({ before: state, onEnd: [], field: undefined, link: undefined });
      state = { ...state };
    },
    onEnd(act) {
      groups.at(-1)?.onEnd.push(act);
    },
    end() {
      for (const act of groups.at(-1)?.onEnd.toReversed() ?? []) act();
    },
    leave() {
      state = groups.pop()?.before ?? state;
    },
    stateAround(further = 0) {
      return groups.at(-1 - further)?.before;
    },
    startField() {
      const group = groups.at(-1);
      if (group !== undefined) group.field = { instruction: '', form: undefined, hasText: false };
    },
    get field() {
      return field();
    },
    addInstruction(text) {
      const current = field();
      if (current !== undefined) current.instruction += text;
    },
    get instruction() {
      return field()?.instruction ?? '';
    },
    setLink(target) {
      const group = groups.at(-1);
      if (group !== undefined) group.link = target;
    },
    get link() {
      return groups.findLast((group) => group.link !== undefined)?.link;
    },
  };
}

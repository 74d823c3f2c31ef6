import type { AssemblyParts } from './assembly-parts.ts';
import { createAssemblyView } from './assembly.ts';
import type { Assembly } from '../blob-store.ts';
import type { LiveAssembly } from './live-assembly.ts';

/** The assemblies in memory, each with the view that its users have. */
export type KnownAssemblies = {
  /** Adds an assembly and returns its view. */
  remember(live: LiveAssembly): Assembly;
  find(id: string): Assembly | undefined;
  /** The state behind a view; undefined if the assembly is not in memory. */
  liveOf(id: string): LiveAssembly | undefined;
  ids(): Iterable<string>;
  forget(id: string): void;
};

/** Maximum idle assemblies in memory; others are read from the database when needed. */
const maxIdle = 1000;

export function createKnownAssemblies(parts: AssemblyParts): KnownAssemblies {
  /** By id, least recently used first. */
  const known = new Map<string, Assembly>();
  /** `find` must return a view that is still in use: two states of one assembly would overwrite each other. */
  const views = new Map<string, WeakRef<Assembly>>();
  const lives = new WeakMap<Assembly, LiveAssembly>();
  const collected = new FinalizationRegistry((id: string) => {
    if (views.get(id)?.deref() === undefined) views.delete(id);
  });

  function remember(live: LiveAssembly): Assembly {
    const view = createAssemblyView(parts, live);
    lives.set(view, live);
    views.set(live.id, new WeakRef(view));
    collected.register(view, live.id);
    touch(view);
    return view;
  }

  function find(id: string): Assembly | undefined {
    const view = known.get(id) ?? views.get(id)?.deref();
    if (view !== undefined) touch(view);
    return view;
  }

  function touch(view: Assembly): void {
    known.delete(view.id);
    known.set(view.id, view);
    if (known.size > maxIdle) forgetIdle();
  }

  function liveOf(id: string): LiveAssembly | undefined {
    const view = known.get(id) ?? views.get(id)?.deref();
    return view === undefined ? undefined : lives.get(view);
  }

  function forgetIdle(): void {
    for (const [id, view] of known) {
      if (known.size <= maxIdle) return;
      const live = lives.get(view);
      if (
        live === undefined ||
        live.writers.size > 0 ||
        live.reserved.size > 0 ||
        live.beside.size > 0 ||
        live.sealing !== undefined
      )
        continue;
      known.delete(id);
      live.hash?.ordered.drop();
      live.hash = undefined;
    }
  }

  return {
    remember,
    find,
    liveOf,
    ids: () => known.keys(),
    forget(id) {
      known.delete(id);
      views.delete(id);
    },
  };
}

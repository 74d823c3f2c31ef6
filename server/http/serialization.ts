import type { FastifySerializerCompiler } from 'fastify';
import type { AreaApp } from './routes.ts';

type Compiler = FastifySerializerCompiler<unknown>;
type Serialize = ReturnType<Compiler>;

/** Cached by schema, which is the same for all services that one process opens in turn, as tests do. */
const compiled = new WeakMap<object, Serialize>();

/** Compiles response serializers on first use: compiling all of them takes half of the startup time. */
export function compileSerializersLater(app: AreaApp): void {
  let compiler: (() => Compiler | undefined) | undefined;
  const compileLater: Compiler = (definition) => {
    const compileOnce = (): Serialize => {
      const schema = definition.schema as object;
      const serialize = compiled.get(schema) ?? compiler?.()?.(definition);
      if (serialize === undefined) throw new Error('Fastify has no compiler of serializers');
      compiled.set(schema, serialize);
      return serialize;
    };
    let serialize: Serialize | undefined;
    return (value) => (serialize ??= compileOnce())(value);
  };
  app.addHook('onRoute', function deferCompilation(route) {
    if (route.schema?.response === undefined) return;
    // Fastify creates its own compiler for the first route without one; the others share it.
    if (compiler === undefined) compiler = () => this.serializerCompiler;
    else route.serializerCompiler = compileLater;
  });
}

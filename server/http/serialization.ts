import type { FastifySerializerCompiler } from 'fastify';
import type { AreaApp } from './routes.ts';

type Compiler = FastifySerializerCompiler<unknown>;

/** Has the serializers of answers compiled when they are first used: to compile all of them takes half of the start. */
export function compileSerializersLater(app: AreaApp): void {
  let compiler: (() => Compiler | undefined) | undefined;
  const compileLater: Compiler = (definition) => {
    let serialize: ReturnType<Compiler> | undefined;
    return (value) => {
      serialize ??= compiler?.()?.(definition);
      if (serialize === undefined) throw new Error('Fastify has no compiler of serializers');
      return serialize(value);
    };
  };
  app.addHook('onRoute', function deferCompilation(route) {
    if (route.schema?.response === undefined) return;
    // Fastify creates its own compiler for the first route that brings none; the others share it.
    if (compiler === undefined) compiler = () => this.serializerCompiler;
    else route.serializerCompiler = compileLater;
  });
}

import { z } from 'zod';
import { inSpan } from '../platform/tracing/tracing.ts';

/*
 * Operations that are executed in this process or on another node. A map of operations has the schemas of each request and answer. The type
 * of an object that executes them, and the client that sends them, are derived from the map.
 */

export type OperationMap = Readonly<Record<string, { request: z.ZodObject; response: z.ZodType }>>;

export type RequestOf<Map extends OperationMap, Name extends keyof Map> = z.output<Map[Name]['request']>;
export type AnswerOf<Map extends OperationMap, Name extends keyof Map> = z.output<Map[Name]['response']>;

/** An object with a method for each operation. */
export type Operations<Map extends OperationMap> = {
  [Name in keyof Map]: (request: RequestOf<Map, Name>) => Promise<AnswerOf<Map, Name>>;
};

/** The answer of an operation that returns nothing. Older nodes answer with an empty object. */
export const nothing = z.unknown().transform((): void => undefined);

/** Executes an operation by its name. */
export function execute<Map extends OperationMap, Name extends keyof Map>(
  executor: Operations<Map>,
  name: Name,
  request: RequestOf<Map, Name>,
): Promise<AnswerOf<Map, Name>> {
  return executor[name](request);
}

/** The base class of a client. */
export abstract class Sender<Map extends OperationMap> {
  /** Operations that do more than send a request. */
  protected readonly overrides: Partial<Operations<Map>> = {};

  protected abstract send<Name extends keyof Map>(
    name: Name,
    request: RequestOf<Map, Name>,
  ): Promise<AnswerOf<Map, Name>>;
}

/** Returns a base class whose methods are the operations of a map. Each of them calls send(), unless it is overridden. */
export function clientOf<Map extends OperationMap>(
  operations: Map,
): abstract new () => Operations<Map> & Sender<Map> {
  abstract class Client extends Sender<Map> {}
  for (const name of Object.keys(operations)) {
    const method = function (this: Client, request: RequestOf<Map, string>) {
      return inSpan(`media.${name}`, {}, () => this.overrides[name]?.(request) ?? this.send(name, request));
    };
    Object.defineProperty(Client.prototype, name, { value: method, writable: true });
  }
  return Client as unknown as abstract new () => Operations<Map> & Sender<Map>;
}

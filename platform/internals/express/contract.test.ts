import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { expect, it, onTestFinished } from 'vitest';
import { expressClasses } from './expressClasses.ts';

it('gives requests and responses their prototypes once, so that Express has nothing to change', async () => {
  const app = express();
  app.get('/', (request, response) =>
    response.json({ query: request.query, isJson: response.type !== undefined }),
  );
  const server = createServer(expressClasses(app));
  const prototypes: boolean[] = [];
  server.on('request', (request, response) => {
    const before = [Object.getPrototypeOf(request), Object.getPrototypeOf(response)] as unknown[];
    app(request, response);
    const after = [Object.getPrototypeOf(request), Object.getPrototypeOf(response)] as unknown[];
    prototypes.push(before[0] === after[0] && before[1] === after[1]);
  });
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/?a=1`);
  expect(await answer.json()).toEqual({ query: { a: '1' }, isJson: true });
  expect(prototypes).toEqual([true]);
});

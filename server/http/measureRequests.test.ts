import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { expect, it, onTestFinished } from 'vitest';
import { registry } from '../../platform/metrics/metrics.ts';
import { measureRequests } from './measureRequests.ts';

it('counts a request whose client was gone before the answer, as 499', async () => {
  const app = express().use(measureRequests);
  const asked = new Promise<void>((resolve) => app.get('/never-answered', () => resolve()));
  const server = app.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const asking = request({ host: '127.0.0.1', port, path: '/never-answered' }).on('error', () => {});
  asking.end();
  await asked;
  asking.destroy();
  const series =
    'parley_http_request_duration_seconds_count{method="GET",route="/never-answered",status="499"} 1';
  await expect.poll(() => registry.metrics()).toContain(series);
});

import { parentPort, workerData } from 'node:worker_threads';

/* Polls a node's /readyz. This is a separate thread, so that the bench's thousands of devices do not delay the requests. */

const now = () => performance.timeOrigin + performance.now();
const result = { readyAt: 0, worstMs: 0 };
let isOver = false;
parentPort?.once('message', () => (isOver = true));
while (!isOver) {
  const askedAt = now();
  const response = await fetch(`${workerData}/readyz`).catch(() => null);
  if (response) result.worstMs = Math.max(result.worstMs, now() - askedAt);
  if (response?.ok) result.readyAt ||= now();
  await new Promise((resolve) => setTimeout(resolve, 50));
}
parentPort?.postMessage(result);

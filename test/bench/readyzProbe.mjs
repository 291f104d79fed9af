import { parentPort, workerData } from 'node:worker_threads';

/* Asks a node all the time whether it is ready. In a thread of its own: thousands of devices must not make it late. */

const now = () => performance.timeOrigin + performance.now();
const seen = { readyAt: 0, worstMs: 0 };
let isOver = false;
parentPort?.once('message', () => (isOver = true));
while (!isOver) {
  const askedAt = now();
  const response = await fetch(`${workerData}/readyz`).catch(() => null);
  if (response) seen.worstMs = Math.max(seen.worstMs, now() - askedAt);
  if (response?.ok) seen.readyAt ||= now();
  await new Promise((resolve) => setTimeout(resolve, 50));
}
parentPort?.postMessage(seen);

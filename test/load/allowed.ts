import { lookup } from 'node:dns/promises';
import ipaddr from 'ipaddr.js';
import { UsageError, type Options } from './options.ts';

const answerLimitMs = 15_000;

/**
 * Checks that the server may be loaded: it is on this machine, or its operator agrees by LOAD_TEST_TOKEN. A given token is always checked.
 * Called before anything else is sent to the server.
 * @throws UsageError that says what to do
 */
export async function checkAllowed({ server, token }: Options): Promise<void> {
  if (token === undefined) {
    if (await isOnThisMachine(server)) return;
    throw new UsageError(
      `${server.host} is not on this machine, so its operator must allow load tests: set LOAD_TEST_TOKEN on the server, and pass the same text with --token.`,
    );
  }
  const headers = { Authorization: `Bearer ${token}` };
  const signal = AbortSignal.timeout(answerLimitMs);
  const { status } = await fetch(new URL('/load-test', server), {
    headers,
    signal,
    redirect: 'manual',
  }).catch((error: unknown) => {
    throw new UsageError(`${server.origin} does not answer: ${reasonOf(error)}.`);
  });
  if (status === 200) return;
  if (status === 401)
    throw new UsageError(`${server.host} has another LOAD_TEST_TOKEN. Ask its operator for the right one.`);
  throw new UsageError(
    `${server.host} does not allow load tests (HTTP ${status}): its operator must set LOAD_TEST_TOKEN.`,
  );
}

export async function isOnThisMachine({ hostname }: URL): Promise<boolean> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const found = await lookup(host, { all: true }).catch((error: unknown) => {
    throw new UsageError(`${host} has no address: ${reasonOf(error)}.`);
  });
  return found.every(({ address }) => ipaddr.process(address).range() === 'loopback');
}

const reasonOf = (error: unknown): string => {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message || String((cause as { code?: unknown }).code) : message;
};

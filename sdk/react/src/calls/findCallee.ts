import type { Address, Parley } from '@parley/sdk';
import { servicesOf } from '../core/Services.ts';
import { explain } from '../problems/explain.ts';
import { createSession } from '../session/SessionController.ts';
import type { Words } from '../words/english.ts';
import { parseCallee, type Callee } from './parseCallee.ts';

/** Whether a text is a name in ENS, which the server looks up. */
export const isEnsName = (text: string): boolean => /^[^\s/:]+\.[a-z]{2,}$/i.test(text.trim());

/** Reads what the user typed or pasted, like parseCallee(), and also looks up a name in ENS. Never throws. */
export async function findCallee(
  client: Parley,
  text: string,
  words: Pick<Words, 'callee' | 'problems'>,
): Promise<Callee> {
  const own = { origin: location.origin, address: servicesOf(client).get(createSession).address };
  if (!isEnsName(text)) return parseCallee(text, own, words.callee);
  try {
    return parseCallee(await client.people.find(text.trim()), own, words.callee);
  } catch (error) {
    const { title, advice } = explain(error, words.problems);
    return { problem: `${title}. ${advice}` };
  }
}

/** Reads several people, separated by spaces, commas or semicolons, as findCallee() reads one. Never throws. */
export async function findCallees(
  client: Parley,
  text: string,
  words: Pick<Words, 'callee' | 'problems'>,
): Promise<{ addresses: Address[]; problem: string | null }> {
  const parts = text.split(/[\s,;]+/).filter(Boolean);
  const found = await Promise.all(
    (parts.length > 0 ? parts : ['']).map((part) => findCallee(client, part, words)),
  );
  const problem = found.find((each) => each.problem)?.problem ?? null;
  return { addresses: found.flatMap(({ address }) => address ?? []), problem };
}

import { afterAll, beforeAll, describe, it } from 'vitest';
import { oneNode, type OneNode } from '../harness/Harness.ts';
import { voicemailScenarios } from '../scenarios/voicemail.ts';

let harness: OneNode;
beforeAll(async () => {
  harness = await oneNode();
});
afterAll(() => harness?.close());

describe('voicemail on one node', () => {
  it.each(Object.entries(voicemailScenarios))('%s', (_name, scenario) => scenario(harness));
});

import { afterAll, beforeAll, describe, it } from 'vitest';
import { twoNodes, type Cluster } from '../../harness/nodes/Cluster.ts';
import { S3Server } from '../../harness/services/S3Server.ts';
import { peopleScenarios } from '../../scenarios/people.ts';

let s3: S3Server;
let cluster: Cluster;

beforeAll(async () => {
  s3 = await S3Server.start();
  cluster = await twoNodes(s3.settings);
});
afterAll(async () => {
  await cluster?.close();
  await s3?.close();
});

// No two scenarios share a wallet, so they run concurrently.
describe.concurrent('names on two nodes', () => {
  it.each(Object.entries(peopleScenarios))('%s', (_name, scenario) => scenario(cluster));
});

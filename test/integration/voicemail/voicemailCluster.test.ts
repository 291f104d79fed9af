import { afterAll, beforeAll, describe, it } from 'vitest';
import { twoNodes, type Cluster } from '../../harness/nodes/Cluster.ts';
import { S3Server } from '../../harness/services/S3Server.ts';
import { voicemailScenarios } from '../../scenarios/voicemail.ts';

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

describe('voicemail on two nodes with S3', () => {
  // Scenarios that involve more than one node.
  const chosen = Object.entries(voicemailScenarios).filter(([name]) =>
    /every device|blocked|twice/.test(name),
  );
  it.each(chosen)('%s', (_name, scenario) => scenario(cluster));
});

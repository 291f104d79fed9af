import { expect, it } from 'vitest';
import * as sdk from './index.ts';

it('exports these values', () => {
  expect(Object.keys(sdk).sort()).toMatchInlineSnapshot(`
    [
      "Parley",
      "ParleyError",
      "getPublicStream",
      "linkStatement",
      "maxGateDepth",
      "maxGateLeaves",
      "newIdempotencyKey",
      "normalAddress",
      "onChain",
      "segmentsOf",
      "shortAddress",
      "verifyWebhook",
    ]
  `);
});

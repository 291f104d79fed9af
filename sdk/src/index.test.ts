import { expect, it } from 'vitest';
import * as sdk from './index.ts';

it('exports what it exports', () => {
  expect(Object.keys(sdk).sort()).toMatchInlineSnapshot(`
    [
      "Parley",
      "ParleyError",
      "linkStatement",
      "verifyWebhook",
    ]
  `);
});

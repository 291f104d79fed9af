/*
 * Rules of this project that no linter has. `.oxlintrc.json` names them with the prefix `house`.
 */

/** Methods of a locator that read the page's current state without waiting. */
const readings = new Set([
  'textContent',
  'innerText',
  'allTextContents',
  'count',
  'isVisible',
  'isHidden',
  'isEnabled',
  'isDisabled',
  'isChecked',
  'inputValue',
  'getAttribute',
  'title',
]);

/** @typedef {{ report: (problem: { node: object, message: string }) => void }} Context */
/** @typedef {{ type: string, name?: string, object?: Node, property?: Node, callee?: Node, argument?: Node, arguments?: Node[] }} Node */

/** Requests that bypass server/outgoing would also bypass its limits on addresses, time and size. */
const noDirectRequests = {
  create: (/** @type {Context} */ context) => ({
    CallExpression(/** @type {Node} */ node) {
      const { object, property } = node.callee ?? {};
      const isRequest = ['request', 'get', 'fetch'].includes(property?.name ?? '');
      if (!isRequest || !['http', 'https', 'globalThis', 'undici'].includes(object?.name ?? '')) return;
      const message =
        'Send requests through server/outgoing: fetchNamed for addresses from settings, OutsideClient for addresses from users.';
      context.report({ node, message });
    },
  }),
};

/** Finds `expect(await locator.textContent())`, which fails when the page is a moment late. */
const noUnpolledExpect = {
  create: (/** @type {Context} */ context) => ({
    CallExpression(/** @type {Node} */ node) {
      const [awaited] = node.arguments ?? [];
      if (node.callee?.name !== 'expect' || awaited?.type !== 'AwaitExpression') return;
      if (!readings.has(awaited.argument?.callee?.property?.name ?? '')) return;
      context.report({ node, message: 'Pages update asynchronously. Use await expect.poll(() => …).' });
    },
  }),
};

export default {
  meta: { name: 'house' },
  rules: { 'no-direct-requests': noDirectRequests, 'no-unpolled-expect': noUnpolledExpect },
};

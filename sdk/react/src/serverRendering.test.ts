import { expect, it } from 'vitest';
import { reactVersions } from '../../../test/harness/react/bundleReact.ts';
import { renderOnServer } from '../../../test/harness/react/renderOnServer.ts';

it.each(reactVersions)(
  'renders every component and hook with React %i in Node, and does nothing else',
  async (version) => {
    const { html, ...rest } = await renderOnServer(version);
    expect(rest).toEqual({
      version: expect.stringMatching(`^${version}\\.`) as string,
      forgotten: [],
      used: [],
      open: [],
      handlers: 0,
      logged: '',
    });
    // Before a client has found out who is signed in, both are the same.
    expect(html.provider).toEqual(html.app);
    expect(html.app['Button']).toContain('<button');
  },
);

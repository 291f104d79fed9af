import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { events, requests } from '../../../sdk/protocol/wire.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { ask } from '../support.ts';

let server: ServerProcess;
const read = (path: string) => ask(server.url, 'GET', path);
/** The addresses a page links to on this server, without those of one page's sections. */
const linksOf = (html: string, path: string) =>
  [...html.matchAll(/<(?:a|link|script)\b[^>]*\s(?:src|href)="([^"]+)"/g)].map(
    ([, address = '']) => new URL(address.replaceAll('&amp;', '&'), `${server.url}${path}`),
  );

beforeAll(async () => {
  server = await ServerProcess.start();
});
afterAll(() => server?.dispose());

describe('/docs/reference', () => {
  it('has pages without broken links or inline scripts, under the content security policy', async () => {
    const moved = await read('/docs/reference');
    expect([moved.status, moved.headers.location]).toEqual([301, '/docs/reference/']);
    const seen = new Map<string, string>();
    const broken: string[] = [];
    const targets = new Set<string>();
    const open = ['/docs/reference/'];
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      const page = await read(path);
      if (page.status !== 200) broken.push(path);
      seen.set(path, page.text);
      if (!String(page.headers['content-type']).includes('text/html')) continue;
      expect(page.headers['content-security-policy']).toContain("script-src 'self'");
      expect(page.text).not.toMatch(/<script>|<script [^>]*>\s*[^<\s]|\son\w+="/);
      for (const link of linksOf(page.text, path)) {
        expect(link.origin).toBe(server.url);
        if (link.hash) targets.add(link.pathname + link.hash);
        const isNew = !seen.has(link.pathname) && !open.includes(link.pathname);
        if (isNew && link.pathname.startsWith('/docs/reference/')) open.push(link.pathname);
      }
    }
    for (const target of targets) {
      const [path = '', anchor = ''] = target.split('#');
      if (
        path.startsWith('/docs/reference/') &&
        !seen.get(path)?.includes(`id="${decodeURIComponent(anchor)}"`)
      )
        broken.push(target);
    }
    expect(broken).toEqual([]);
    expect([...seen.keys()]).toEqual(
      expect.arrayContaining(
        ['classes/Parley', 'interfaces/Calls', 'interfaces/StartCall', 'documents/protocol'].map(
          (name) => `/docs/reference/${name}.html`,
        ),
      ),
    );
  });

  it('describes every request and event of the protocol', async () => {
    const { text } = await read('/docs/reference/documents/protocol.html');
    const headings = [...text.matchAll(/<h3[^>]*>([^<]+)</g)].map(([, name]) => name);
    expect(headings).toEqual(expect.arrayContaining([...Object.keys(requests), ...Object.keys(events)]));
  });
});

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorCodes } from '../../sdk/protocol/errors.ts';
import { httpReasons, realtimeReasons, sdkReasons } from '../../sdk/protocol/reasons.ts';
import { settings } from '../../server/config/settings.ts';
import { anchorsOf, blocksFor, blocksOf, nameOf, pages, readPage, root } from './blocks.ts';
import { checkTypes } from './checkTypes.ts';
import { Reader } from './Reader.ts';

/*
 * Tests every example in README and docs/. The info string of a block defines how it is tested:
 *
 *   ts                 type-checked against the SDK's public types, with the globals of readerNames.d.ts
 *   ts run, js run     run as a program; its output must equal the `text output` block below it (… stands for anything)
 *   sh                 run by bash in a copy of the checkout
 *   sh server          started; the server must become ready and stop on SIGTERM
 *   sh publishes       started; the program must publish the stream
 *   html run           opened in Chromium as a page of this machine
 *   … test: name.ts    run by that test file, which reads it with blocksFor
 *   … not run: reason  not run
 *   text, json         not an example
 *
 * All examples use one server. Its URL, an API key, a stream and a payer's wallet are in the environment: see Reader.ts.
 */

const blocks = pages.flatMap(blocksOf);
const isRun = (block: (typeof blocks)[number]) => !/^(not run|test): /.test(block.mode);
const modes: Record<string, string[]> = {
  ts: ['', 'run'],
  js: ['run'],
  sh: ['', 'server', 'publishes'],
  html: ['run'],
  text: [''],
  json: [''],
  yaml: [''],
};

/** The text of a page without its code blocks, as one line. */
const proseOf = (page: string) =>
  readPage(page)
    .replace(/^ *```[^]*?^ *```$/gm, '')
    .replace(/\s+/g, ' ');
const program = ['media', 'platform', 'server', 'signaling'];
const code = [...program, 'scripts', 'sdk', 'test/harness'];
/** Where errors are made. */
const makers = [...program, 'sdk/src', 'sdk/protocol/errors.ts', ':!*.test.ts', ':!server/console'];
const isInCode = (pattern: string[], paths = code) =>
  spawnSync('git', ['grep', '-qF', ...pattern, '--', ...paths], { cwd: root }).status === 0;
const namesIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name);

describe('the pages', () => {
  it('define for every block how it is tested', () => {
    const unknown = blocks.filter((block) => isRun(block) && !modes[block.language]?.includes(block.mode));
    expect(unknown.map(nameOf)).toEqual([]);
  });

  it('exclude only these examples from the tests', () => {
    const reasons = blocks.filter(({ mode }) => mode.startsWith('not run: '));
    expect(reasons.map(({ page, mode }) => `${page}: ${mode.slice('not run: '.length)}`)).toEqual([
      'README.md: it is the suite that this test belongs to',
      'docs/contributing.md: needs a clone of the release and an outside PostgreSQL',
      'docs/guides/app-developer.md: needs two downloaded recordings',
      'docs/guides/app-developer.md: needs a service worker of your app',
      'docs/guides/backup.md: needs an outside PostgreSQL',
      'docs/guides/backup.md: needs an outside PostgreSQL',
      'docs/guides/backup.md: needs an outside Redis',
      'docs/guides/embedding.md: needs a room and a participant token of yours',
      'docs/guides/kubernetes.md: needs a cluster',
      'docs/guides/kubernetes.md: needs a cluster',
      'docs/guides/load-testing.md: needs a server of yours elsewhere',
      'docs/guides/operator.md: needs root and changes the machine',
      'docs/guides/operator.md: needs Docker',
      'docs/guides/react-native.md: needs a React Native app',
      'docs/guides/react-native.md: needs Xcode and an iPhone',
      'docs/guides/react.md: a style sheet of an app',
      'docs/guides/streamer.md: they play until they are stopped; the table below is made with them',
    ]);
  });

  it('name only test files that run their examples', () => {
    const tests = execFileSync('git', ['ls-files', 'test'], { cwd: root, encoding: 'utf8' }).split('\n');
    for (const { page, mode } of blocks.filter((block) => block.mode.startsWith('test: '))) {
      const name = mode.slice('test: '.length);
      const path = tests.find((each) => each.endsWith(`/${name}`)) ?? '';
      expect(readPage(path)).toContain(`blocksFor('${page}', '${name}')`);
      expect(blocksFor(page, name)).not.toEqual([]);
    }
  });

  it('link only to pages, headings and files that exist', () => {
    const broken = pages.flatMap((page) =>
      [...readPage(page).matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, target = '']) => target)
        .filter((target) => {
          if (/^[a-z]+:/.test(target)) return false;
          const [path = '', anchor] = target.split('#');
          const file = path ? join(dirname(page), path) : page;
          if (!existsSync(join(root, file))) return true;
          return anchor !== undefined && !anchorsOf(file).has(anchor);
        })
        .map((target) => `${page}: ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it('name only files, folders and npm scripts that exist', () => {
    const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n');
    const { scripts } = JSON.parse(readPage('package.json')) as { scripts: Record<string, string> };
    const wrong = pages.flatMap((page) => {
      const text = proseOf(page);
      return [
        ...namesIn(text, /`((?:docs|media|platform|scripts|sdk|server|signaling|test)\/[\w./-]+)`/g).filter(
          (path) => !existsSync(join(root, path)),
        ),
        ...namesIn(text, /`([A-Za-z]\w*(?:\.test)?\.(?:ts|sh))`/g).filter(
          (name) => !files.some((file) => file.endsWith(`/${name}`)),
        ),
        ...namesIn(text, /npm run ([a-z:]+)/g).filter((name) => !(name in scripts)),
      ].map((name) => `${page}: ${name}`);
    });
    expect(wrong).toEqual([]);
  });

  it('have a glossary with existing folders and names', () => {
    const rows = readPage('docs/glossary.md')
      .split('\n')
      .filter((line) => line.startsWith('| '))
      .map((line) => line.split(' | '));
    const folders = rows.flatMap((cells) => namesIn(cells.at(-1) ?? '', /`([\w./-]+)`/g));
    expect(folders.filter((folder) => !existsSync(join(root, folder)))).toEqual([]);
    const names = rows.flatMap(([term = '']) => namesIn(term, /`(\w+)`/g));
    expect(names.filter((name) => !isInCode(['-w', name]))).toEqual([]);
  });

  it('name only existing settings and log messages in the operator guide', () => {
    const text = proseOf('docs/guides/operator.md');
    const known = new Set<string>([...Object.keys(settings), ...errorCodes]);
    const names = namesIn(text, /`([A-Z][A-Z0-9]*_[A-Z0-9_]*[A-Z0-9])[`=]/g);
    expect(names.filter((name) => !known.has(name))).toEqual([]);

    const messages = namesIn(text, /`((?!docker |npm )[A-Za-z]+(?: [A-Za-z’]+)+)`/g);
    expect(messages.filter((message) => !isInCode([message], program))).toEqual([]);
  });

  it('list every reason of the realtime side', () => {
    const rows = readPage('sdk/protocol.md').matchAll(/^\| `(\w+)` \| (.*) \|$/gm);
    const documented = [...rows].map(([, reason = '', meaning]) => [reason, meaning] as const);
    const known = documented.filter(([reason]) => reason in realtimeReasons);
    expect(Object.fromEntries(known)).toEqual(realtimeReasons);
  });

  it('list only reasons that an error can have', () => {
    const reasons = Object.keys({ ...httpReasons, ...realtimeReasons, ...sdkReasons });
    expect(reasons.filter((reason) => !isInCode([`'${reason}'`], makers))).toEqual([]);
  });

  it('contain TypeScript that type-checks', () => {
    expect(checkTypes(blocks.filter((block) => block.language === 'ts' && isRun(block)))).toEqual([]);
  });
});

describe('the examples', () => {
  let reader: Reader;
  beforeAll(async () => {
    reader = await Reader.start();
  });
  afterAll(() => reader?.close());

  const runnable = blocks.filter((block) => isRun(block) && (block.mode || block.language === 'sh'));
  it.each(runnable.map((block) => [nameOf(block), block] as const))('%s', async (_, block) => {
    await reader.follow(block);
  });

  it('take one cent from the payer of the x402 example, and keep every ledger balanced', async () => {
    expect(await reader.spentByPayer()).toBe(10_000n);
    expect(await reader.wrongBalances()).toEqual([]);
  });
});

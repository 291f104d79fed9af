import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** A fenced code block of a page, with its parsed info string. */
export interface Block {
  page: string;
  line: number;
  language: string;
  /** How the block is tested (see docs.test.ts). */
  mode: string;
  source: string;
  /** The content of the `text output` block that follows this block; undefined if there is none. */
  output: string | undefined;
}

/** The Markdown files at the root and in docs/, and the first page of the npm package. */
export const pages = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => /^([A-Z]+\.md|docs\/.*|sdk\/README\.md)$/.test(path))
  .sort();

export const readPage = (page: string): string => readFileSync(`${root}${page}`, 'utf8');

export function blocksOf(page: string): Block[] {
  const blocks: Block[] = [];
  let open: { block: Block; indent: string; lines: string[] } | null = null;
  for (const [index, line] of readPage(page).split('\n').entries()) {
    const [fence, indent = '', language = '', mode = ''] = /^( *)```(\S*) ?(.*)$/.exec(line) ?? [];
    if (open && fence !== undefined && indent === open.indent && language === '') {
      blocks.push(open.block);
      open.block.source = open.lines.map((text) => text.slice(indent.length)).join('\n') + '\n';
      open = null;
    } else if (open) open.lines.push(line);
    else if (fence !== undefined) {
      const block = { page, line: index + 1, language, mode, source: '', output: undefined };
      open = { block, indent, lines: [] };
    }
  }
  if (open) throw new Error(`${page}:${open.block.line}: the code block is not closed`);
  return blocks.filter((block, index) => {
    const isOutput = block.language === 'text' && block.mode === 'output';
    const example = blocks[index - 1];
    if (isOutput && example) example.output = block.source;
    return !isOutput;
  });
}

export const nameOf = ({ page, line, language, mode }: Block): string =>
  `${page}:${line} (${[language, mode].filter(Boolean).join(' ')})`;

/** The sources of the blocks that the named test file runs itself. */
export function blocksFor(page: string, testFile: string): string[] {
  return blocksOf(page)
    .filter(({ mode }) => mode === `test: ${testFile}`)
    .map(({ source }) => source);
}

/** The anchors of a page's headings, as GitHub generates them. */
export const anchorsOf = (page: string): Set<string> =>
  new Set(
    readPage(page)
      .split('\n')
      .filter((line) => /^#+ /.test(line))
      .map((line) =>
        line
          .replace(/^#+ /, '')
          .toLowerCase()
          .replace(/[^\p{L}\p{N} _-]/gu, '')
          .replaceAll(' ', '-'),
      ),
  );

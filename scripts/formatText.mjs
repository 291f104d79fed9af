import { readFile } from 'node:fs/promises';
import { format } from 'oxfmt';

const settings = new URL('../.oxfmtrc.json', import.meta.url);

/**
 * Formats generated text as `npm run format` would.
 * @param {string} file the name of the file, whose ending decides the language
 * @param {string} text
 * @throws {Error} if the text has a syntax error
 */
export async function formatText(file, text) {
  const config = /** @type {import('oxfmt').FormatConfig} */ (JSON.parse(await readFile(settings, 'utf8')));
  const { code, errors } = await format(file, text, config);
  if (errors.length > 0) throw new Error(`${file}: ${errors.map(({ message }) => message).join('\n')}`);
  return code;
}

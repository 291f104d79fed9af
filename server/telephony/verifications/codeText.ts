/** The text of a code in each language. Each fits into one segment, even if its letters need UCS-2, which allows only 70 UTF-16 units. */
const texts: Record<string, (code: string) => string> = {
  en: (code) => `${code} is your verification code. Do not share it with anyone.`,
  de: (code) => `${code} ist Ihr Bestätigungscode. Geben Sie ihn nicht weiter.`,
  es: (code) => `${code} es su código de verificación. No lo comparta.`,
  fr: (code) => `${code} est votre code de vérification. Ne le partagez pas.`,
  it: (code) => `${code} è il Suo codice di verifica. Non lo condivida.`,
  nl: (code) => `${code} is uw verificatiecode. Deel deze met niemand.`,
  pl: (code) => `${code} to Twój kod weryfikacyjny. Nikomu go nie podawaj.`,
  pt: (code) => `${code} é o seu código de verificação. Não o partilhe.`,
};

export const codeLanguages = Object.keys(texts);

/** @param locale a language tag; for languages that are not listed, the text is in English */
export function codeText(code: string, locale = 'en'): string {
  const [language = ''] = locale.toLowerCase().split('-', 1);
  const text = Object.hasOwn(texts, language) ? texts[language] : undefined;
  return (text ?? texts.en)?.(code) ?? code;
}

import { Fragment } from 'react';
import { findLinks } from './findLinks.ts';

/** A text whose web addresses are links. They open in a new tab, which gets no access to this page. */
export function Linkified({ text }: { text: string }) {
  return findLinks(text).map(({ part, href }, index) =>
    href === null ? (
      <Fragment key={index}>{part}</Fragment>
    ) : (
      <a key={index} href={href} target="_blank" rel="noopener noreferrer nofollow">
        {part}
      </a>
    ),
  );
}

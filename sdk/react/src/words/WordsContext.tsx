import { createContext, useContext } from 'react';
import { english, type Words } from './english.ts';

/** The words of the components below. A component outside of a provider speaks English. */
export const WordsContext = createContext<Words>(english);

export const useWords = (): Words => useContext(WordsContext);

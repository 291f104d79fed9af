import { usePeople } from '../people/usePeople.ts';
import { partyName } from '../people/partyName.ts';
import { useWords } from '../words/WordsContext.tsx';

/** Says who is typing; null if nobody is. @param typing the wallets */
export function useTypingLine(typing: readonly string[]): string | null {
  const words = useWords().chats;
  const people = usePeople(typing);
  const [one, other] = typing.map((wallet) => people.get(wallet)?.name ?? partyName(wallet));
  if (one === undefined) return null;
  if (other === undefined) return words.isTyping(one);
  return typing.length === 2 ? words.twoAreTyping(one, other) : words.severalAreTyping(typing.length);
}

import { useWords } from '../words/WordsContext.tsx';
import { useGroup } from './useGroup.ts';

/** The name of a group. */
export function GroupName({ id }: { id: string }) {
  const words = useWords().groups;
  return <span data-testid="group-name">{useGroup(id).group?.name ?? words.group}</span>;
}

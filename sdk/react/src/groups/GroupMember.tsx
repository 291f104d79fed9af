import type { GroupMember as Member } from '@parley/sdk';
import { useState } from 'react';
import { useParley } from '../core/ParleyProvider.tsx';
import { useAction } from '../core/useAction.ts';
import { PersonItem } from '../people/PersonSummary.tsx';
import { usePartyName } from '../people/usePeople.ts';
import { ProblemAlert } from '../problems/ProblemAlert.tsx';
import { Text } from '../ui/Basics.tsx';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';
import { DotsMenu } from '../ui/DotsMenu.tsx';
import { MenuItem } from '../ui/Menu.tsx';
import { useWords } from '../words/WordsContext.tsx';

interface Props {
  /** The id of the group. */
  group: string;
  member: Member;
  isOwn: boolean;
  /** Whether this wallet may change the members. */
  isManaged: boolean;
}

/** A member of a group, or an invited wallet, with the actions of admins. */
export function GroupMember({ group, member: { walletAddress, role, standing }, isOwn, isManaged }: Props) {
  const { groups } = useParley();
  const words = useWords().groups;
  const name = usePartyName(walletAddress);
  const [isRemoving, setRemoving] = useState(false);
  const isInvited = standing === 'invited';
  const isAdmin = role === 'admin';
  const setRole = useAction(() => groups.setRole(group, walletAddress, isAdmin ? 'member' : 'admin'));
  const remove = useAction(() => groups.remove(group, walletAddress).then(() => true));
  const facts = [isOwn && words.you, isAdmin && words.admin, isInvited && words.invited];
  return (
    <>
      <PersonItem
        address={walletAddress}
        name={name}
        facts={facts.filter(Boolean).join(' · ')}
        data-testid="group-member"
        data-address={walletAddress}
        data-role={role}
        data-standing={standing}
      >
        {isManaged && !isOwn && (
          <DotsMenu label={words.actionsOn(name)} data-testid="member-actions">
            {!isInvited && (
              <MenuItem onSelect={() => void setRole.run()} data-testid="set-role">
                {isAdmin ? words.makeMember : words.makeAdmin}
              </MenuItem>
            )}
            <MenuItem isDanger onSelect={() => setRemoving(true)} data-testid="remove-member">
              {isInvited ? words.removeInvited : words.remove}
            </MenuItem>
          </DotsMenu>
        )}
      </PersonItem>
      {setRole.problem && (
        <li>
          <ProblemAlert problem={setRole.problem} />
        </li>
      )}
      {isRemoving && (
        <li>
          <ConfirmDialog
            title={words.removeTitle(name)}
            action={remove}
            label={words.removeNow}
            onClose={() => setRemoving(false)}
            testId="remove-member"
          >
            <Text size="sm">{isInvited ? words.removeInvitedHint : words.removeHint}</Text>
          </ConfirmDialog>
        </li>
      )}
    </>
  );
}

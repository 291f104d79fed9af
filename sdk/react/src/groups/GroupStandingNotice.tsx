import type { Group } from '@parley/sdk';
import { useParley } from '../core/ParleyProvider.tsx';
import { useAction } from '../core/useAction.ts';
import { usePartyName } from '../people/usePeople.ts';
import { ProblemAlert } from '../problems/ProblemAlert.tsx';
import { Row, Text } from '../ui/Basics.tsx';
import { Button } from '../ui/Button.tsx';
import { useWords } from '../words/WordsContext.tsx';
import { GroupAvatar } from './GroupAvatar.tsx';
import classes from './Groups.module.css';

/** In place of the composer of a group in which this wallet cannot write: its invitation, or why it cannot. */
export function GroupStandingNotice({ group }: { group: Group }) {
  const words = useWords().groups;
  if (group.standing === 'invited') return <Invitation group={group} />;
  return (
    <Text size="sm" isDimmed data-testid="not-in-group">
      {group.standing === 'removed' ? words.youWereRemoved : words.youLeft}
    </Text>
  );
}

function Invitation({ group: { id, name, invitedBy, memberCount } }: { group: Group }) {
  const { groups } = useParley();
  const words = useWords().groups;
  const inviter = usePartyName(invitedBy ?? '');
  const join = useAction(() => groups.join(id));
  const decline = useAction(() => groups.leave(id));
  const problem = join.problem ?? decline.problem;
  return (
    <section className={classes['invitation']} aria-label={words.invitation} data-testid="group-invitation">
      <GroupAvatar id={id} name={name} size={64} />
      <h3 className={classes['invitationName']} dir="auto">
        {name}
      </h3>
      <Text>{words.inviteTitle(inviter)}</Text>
      <Text size="sm" isDimmed>
        {words.members(memberCount)}
      </Text>
      <Text size="sm" isDimmed>
        {words.inviteHint}
      </Text>
      {problem && <ProblemAlert problem={problem} />}
      <Row gap="0.75rem">
        <Button
          isLoading={join.isRunning}
          disabled={decline.isRunning}
          onClick={() => void join.run()}
          data-testid="join-group"
        >
          {words.join}
        </Button>
        <Button
          variant="outline"
          isLoading={decline.isRunning}
          disabled={join.isRunning}
          onClick={() => void decline.run()}
          data-testid="decline-group"
        >
          {words.decline}
        </Button>
      </Row>
    </section>
  );
}

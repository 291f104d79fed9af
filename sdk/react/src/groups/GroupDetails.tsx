import type { Group } from '@parley/sdk';
import { IconLogout, IconPencil, IconUserPlus } from '@tabler/icons-react';
import { useState, type FormEvent } from 'react';
import { createChats } from '../chats/ChatsController.ts';
import { useParley, useServices } from '../core/ParleyProvider.tsx';
import { useAction } from '../core/useAction.ts';
import { ProblemAlert } from '../problems/ProblemAlert.tsx';
import { Row, Stack, Text } from '../ui/Basics.tsx';
import { Button } from '../ui/Button.tsx';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { TextField } from '../ui/Fields.tsx';
import { useWords } from '../words/WordsContext.tsx';
import { GroupMember } from './GroupMember.tsx';
import classes from './Groups.module.css';
import { PeopleField } from './PeopleField.tsx';
import { useGroup } from './useGroup.ts';
import { usePeopleChoice } from './usePeopleChoice.ts';

interface Props {
  /** The id of the group. */
  group: string;
  onClose: () => void;
}

/** A dialog with the members of a group. Members add people and leave; admins also rename the group, remove members and name other admins. */
export function GroupDetails({ group: id, onClose }: Props) {
  const { group, problem, refresh } = useGroup(id);
  const words = useWords();
  return (
    <Dialog title={group?.name ?? words.groups.group} onClose={onClose} data-testid="group-dialog">
      {problem && <ProblemAlert problem={problem} onRetry={() => void refresh()} />}
      {!group && !problem && <Text role="status">{words.common.loading}</Text>}
      {group && <Details group={group} onClose={onClose} />}
    </Dialog>
  );
}

function Details({ group, onClose }: { group: Group; onClose: () => void }) {
  const { groups } = useParley();
  const { own } = useServices().get(createChats);
  const words = useWords().groups;
  const [open, setOpen] = useState<'add' | 'rename' | 'leave' | null>(null);
  const leave = useAction(() => groups.leave(group.id).then(() => true));
  const isMember = group.standing === 'member';
  const isAdmin = isMember && group.role === 'admin';
  const invitedCount = group.members.filter(({ standing }) => standing === 'invited').length;
  const toggle = (one: 'add' | 'rename') => setOpen(open === one ? null : one);
  const close = () => setOpen(null);
  return (
    <Stack>
      {isMember && (
        <Row gap="0.375rem">
          <Button
            size="sm"
            variant="light"
            icon={<IconUserPlus size={16} aria-hidden />}
            aria-expanded={open === 'add'}
            onClick={() => toggle('add')}
            data-testid="add-to-group"
          >
            {words.addPeople}
          </Button>
          {isAdmin && (
            <Button
              size="sm"
              variant="outline"
              icon={<IconPencil size={16} aria-hidden />}
              aria-expanded={open === 'rename'}
              onClick={() => toggle('rename')}
              data-testid="rename-group"
            >
              {words.rename}
            </Button>
          )}
        </Row>
      )}
      {open === 'add' && <AddForm group={group} onDone={close} />}
      {open === 'rename' && isAdmin && <RenameForm group={group} onDone={close} />}
      <section aria-label={words.memberList}>
        <Text size="sm" isDimmed>
          {words.members(group.memberCount)}
          {invitedCount > 0 && ` · ${words.invitedCount(invitedCount)}`}
        </Text>
        <ul className={classes['members']}>
          {group.members.map((member) => (
            <GroupMember
              key={member.walletAddress}
              group={group.id}
              member={member}
              isOwn={member.walletAddress === own}
              isManaged={isAdmin}
            />
          ))}
        </ul>
      </section>
      {isMember && (
        <div>
          <Button
            size="sm"
            variant="light"
            isDanger
            icon={<IconLogout size={16} aria-hidden />}
            onClick={() => setOpen('leave')}
            data-testid="leave-group"
          >
            {words.leave}
          </Button>
        </div>
      )}
      {open === 'leave' && (
        <ConfirmDialog
          title={words.leaveTitle(group.name)}
          action={leave}
          label={words.leave}
          cancel={words.stay}
          onClose={close}
          onDone={onClose}
          testId="leave-group"
        >
          <Text size="sm">{words.leaveHint}</Text>
        </ConfirmDialog>
      )}
    </Stack>
  );
}

interface FormProps {
  group: Group;
  onDone: () => void;
}

function AddForm({ group: { id, members }, onDone }: FormProps) {
  const { groups } = useParley();
  const words = useWords().groups;
  const people = usePeopleChoice(members.map(({ walletAddress }) => walletAddress));
  const { run, isRunning, problem } = useAction(async () => {
    const added = await people.take();
    if (!added) return;
    await groups.add(id, [...added]);
    onDone();
  });
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void run();
  };
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack gap="0.75rem">
        <PeopleField choice={people} autoFocus />
        <Text size="sm" isDimmed>
          {words.added}
        </Text>
        {problem && <ProblemAlert problem={problem} />}
        <div>
          <Button type="submit" isLoading={isRunning} data-testid="add-them">
            {words.addThem}
          </Button>
        </div>
      </Stack>
    </form>
  );
}

function RenameForm({ group, onDone }: FormProps) {
  const { groups } = useParley();
  const words = useWords();
  const [name, setName] = useState(group.name);
  const isMissing = name.trim() === '';
  const { run, isRunning, problem } = useAction(async () => {
    if (name.trim() !== group.name) await groups.rename(group.id, name);
    onDone();
  });
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (!isMissing) void run();
  };
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack gap="0.75rem">
        <TextField
          label={words.groups.name}
          error={isMissing && words.groups.noName}
          value={name}
          maxLength={50}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          autoComplete="off"
          autoFocus
          data-testid="group-name-field"
        />
        {problem && <ProblemAlert problem={problem} />}
        <div>
          <Button type="submit" isLoading={isRunning} data-testid="save-group-name">
            {words.common.save}
          </Button>
        </div>
      </Stack>
    </form>
  );
}

import { ActionIcon, Box, Button, Text } from '@mantine/core';
import { Avatar } from '@parley/react';
import { shortAddress, type SavedContact } from '@parley/sdk';
import { IconPencil, IconTrash, IconUserPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useAction } from '../../data/useAction.ts';
import { useList } from '../../data/useList.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { LoadedList } from '../../ui/LoadedList.tsx';
import { Section } from '../../ui/Section.tsx';
import classes from './Contacts.module.css';
import { ContactDialog } from './ContactDialog.tsx';

type Task = { is: 'add' } | { is: 'edit' | 'remove'; contact: SavedContact };

/** The wallets that this wallet has saved under a name. */
export function ContactsCard() {
  const { queries } = useSignedIn();
  const contacts = useList(queries.contacts);
  const [task, setTask] = useState<Task | null>(null);
  const close = () => setTask(null);
  return (
    <Section
      title="Contacts"
      hint="Names that you give to wallets. Only you see them, on all your devices. A contact sees your name and picture."
      tools={
        <Button
          variant="default"
          leftSection={<IconUserPlus size={18} />}
          onClick={() => setTask({ is: 'add' })}
          data-testid="add-contact"
        >
          Add contact
        </Button>
      }
      testId="contacts"
    >
      <LoadedList
        list={contacts}
        what="your contacts"
        rowHeight={56}
        className={classes['list']}
        empty={
          <Text size="sm" c="dimmed" data-testid="no-contacts">
            No contacts yet. Add a wallet to see its name here instead of its address.
          </Text>
        }
      >
        {(contact) => (
          <ContactItem
            key={contact.id}
            contact={contact}
            onEdit={() => setTask({ is: 'edit', contact })}
            onRemove={() => setTask({ is: 'remove', contact })}
          />
        )}
      </LoadedList>
      {task?.is === 'add' && <ContactDialog contact={null} onClose={close} />}
      {task?.is === 'edit' && <ContactDialog contact={task.contact} onClose={close} />}
      {task?.is === 'remove' && <RemoveContact contact={task.contact} onClose={close} />}
    </Section>
  );
}

interface ItemProps {
  contact: SavedContact;
  onEdit: () => void;
  onRemove: () => void;
}

function ContactItem({ contact: { name, walletAddress }, onEdit, onRemove }: ItemProps) {
  return (
    <li className={classes['contact']} data-testid="contact" data-address={walletAddress}>
      <Avatar address={walletAddress} size={40} />
      <Box flex={1} miw={0}>
        <Text fw={600} truncate dir="auto" ta="match-parent">
          {name}
        </Text>
        <Text size="sm" c="dimmed" ff="monospace" title={walletAddress}>
          {shortAddress(walletAddress)}
        </Text>
      </Box>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={`Edit ${name}`}
        onClick={onEdit}
        data-testid="edit-contact"
      >
        <IconPencil size={20} />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        color="brick"
        size="lg"
        aria-label={`Remove ${name}`}
        onClick={onRemove}
        data-testid="remove-contact"
      >
        <IconTrash size={20} />
      </ActionIcon>
    </li>
  );
}

function RemoveContact({ contact, onClose }: { contact: SavedContact; onClose: () => void }) {
  const { client } = useSignedIn();
  const { name, walletAddress } = contact;
  const remove = useAction(() => client.people.removeContact(walletAddress), { refreshes: ['people'] });
  return (
    <ConfirmDialog
      title={`Remove ${name}?`}
      action={remove}
      label="Remove"
      cancel="Keep contact"
      onClose={onClose}
      testId="remove-contact"
    >
      <Text size="sm">
        {shortAddress(walletAddress)} is removed from your contacts on all your devices. Your calls and
        messages stay.
      </Text>
    </ConfirmDialog>
  );
}

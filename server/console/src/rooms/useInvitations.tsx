import { useRoomInvitation } from '@parley/react';
import { shortAddress } from '@parley/sdk';
import { Button, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useEffect } from 'react';
import { useLocation } from 'wouter';

/** Shows a notification for each invitation, on any page. */
export function useInvitations(): void {
  const [, navigate] = useLocation();
  const { invitation, dismiss } = useRoomInvitation();
  useEffect(() => {
    if (!invitation) return;
    const { room, from } = invitation;
    const id = `invited ${room.id}`;
    const open = () => {
      notifications.hide(id);
      navigate(`/rooms/${room.id}`);
    };
    notifications.show({
      id,
      title: `Invitation from ${shortAddress(from)}`,
      autoClose: 20_000,
      'data-testid': 'invitation',
      message: (
        <>
          <Text size="sm" mb={6}>
            Join the room “{room.name}”.
          </Text>
          <Button size="compact-md" fz="sm" onClick={open} data-testid="open-invitation">
            Open room
          </Button>
        </>
      ),
    });
    dismiss();
  }, [invitation, navigate, dismiss]);
}

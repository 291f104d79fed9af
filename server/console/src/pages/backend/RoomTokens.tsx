import { useNow } from '@parley/react';
import { Button, Text } from '@mantine/core';
import type { BackendRoom, ParticipantToken } from '@parley/sdk';
import { IconTicket } from '@tabler/icons-react';
import { useState } from 'react';
import { useAction } from '../../data/useAction.ts';
import { useList } from '../../data/useList.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { CardItem } from '../../ui/CardItem.tsx';
import cards from '../../ui/Cards.module.css';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { LoadedList } from '../../ui/LoadedList.tsx';
import { atMoment } from '../../ui/numbers.ts';
import { Section } from '../../ui/Section.tsx';
import { StatusBadge, type Status } from '../../ui/StatusBadge.tsx';

/** The recent participant tokens of a room, which can be revoked. */
export function RoomTokens({ room }: { room: BackendRoom }) {
  const { queries } = useSignedIn();
  const list = useList(queries.roomTokens(room.id));
  const [revoking, setRevoking] = useState<ParticipantToken | null>(null);
  const now = useNow(15_000);
  return (
    <Section
      title="Participant tokens"
      hint="Each token lets one person in, under the name and with the rights that your backend chose. Revoking it takes that person out of the room."
      testId="room-tokens"
    >
      <LoadedList
        list={list}
        what="the tokens"
        rowHeight={56}
        empty={
          <Empty icon={IconTicket} title="No tokens yet">
            Your backend creates one for each person.
          </Empty>
        }
        className={cards['list']}
        more="Show older tokens"
      >
        {(token) => {
          const status = statusOf(token, now);
          return (
            <CardItem
              key={token.id}
              name={nameOf(token)}
              isPlain
              data={{
                'data-testid': 'room-token',
                'data-identity': token.identity,
                'data-status': status.label,
              }}
              tools={
                status.label !== 'revoked' && (
                  <Button
                    variant="subtle"
                    color="brick"
                    size="compact-md"
                    fz="sm"
                    onClick={() => setRevoking(token)}
                    aria-label={`Revoke the token of ${nameOf(token)}`}
                    data-testid="revoke-token"
                  >
                    Revoke
                  </Button>
                )
              }
            >
              <Text size="sm" component="div">
                <StatusBadge {...status} /> {token.identity} · {token.role} · until{' '}
                {atMoment(token.expiresAt)}
              </Text>
            </CardItem>
          );
        }}
      </LoadedList>
      {revoking && <RevokeDialog roomId={room.id} token={revoking} onClose={() => setRevoking(null)} />}
    </Section>
  );
}

interface DialogProps {
  roomId: string;
  token: ParticipantToken;
  onClose: () => void;
}

function RevokeDialog({ roomId, token, onClose }: DialogProps) {
  const { client } = useSignedIn();
  const revoke = useAction(() => client.rooms.revokeToken(roomId, token.id), { refreshes: ['rooms'] });
  return (
    <ConfirmDialog
      title={`Revoke the token of ${nameOf(token)}?`}
      action={revoke}
      label="Revoke"
      onClose={onClose}
      testId="revoke-token"
    >
      This takes the person out of the room. Coming back takes a new token.
    </ConfirmDialog>
  );
}

const nameOf = ({ displayName, identity }: ParticipantToken) => displayName ?? identity;

function statusOf({ revokedAt, expiresAt }: ParticipantToken, now: Date): Status {
  if (revokedAt) return { color: 'brick', label: 'revoked' };
  return expiresAt > now ? { color: 'pine', label: 'valid' } : { color: 'gray', label: 'expired' };
}

import { partyName, usePeople } from '@parley/react';
import { Button } from '@mantine/core';
import { normalAddress, type KeptQuality } from '@parley/sdk';
import { IconActivity, IconArrowLeft, IconRefresh, IconZoomQuestion } from '@tabler/icons-react';
import { Link, useParams } from 'wouter';
import { useList } from '../../data/useList.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { useIsOperator } from '../../session/useIsOperator.ts';
import { Empty } from '../../ui/Empty.tsx';
import { LoadedList } from '../../ui/LoadedList.tsx';
import { Page } from '../../ui/Page.tsx';
import { FindingsCard } from './FindingsCard.tsx';
import { describePeriod } from './describe.ts';
import { joinParts } from './joinParts.ts';
import { ParticipantCard } from './ParticipantCard.tsx';
import classes from './Quality.module.css';

type Kind = 'call' | 'room';

/** Of more participants, the last ones are shown by a button only. */
const shownAtFirst = 6;

const backTo = {
  call: { href: '/', label: 'All calls' },
  room: { href: '/rooms', label: 'All rooms' },
};

/** Why a call or room was bad: what went wrong, and what the devices measured. */
export function QualityPage() {
  const { id = '' } = useParams<{ id: string }>();
  const kind = id.startsWith('room_') ? 'room' : 'call';
  return <QualityOf key={id} kind={kind} id={id} />;
}

function QualityOf({ kind, id }: { kind: Kind; id: string }) {
  const list = useList(useSignedIn().queries.quality(id, useIsOperator()));
  const isUnknown = list.problem?.code === 'NOT_FOUND' || list.problem?.code === 'VALIDATION_ERROR';
  const { href, label } = backTo[kind];
  return (
    <Page
      title={`Quality of this ${kind}`}
      hint={`Every ten seconds, each device in a ${kind} measures its connection and tells the server.`}
    >
      <div className={classes['tools']}>
        <Button
          component={Link}
          href={href}
          variant="default"
          leftSection={<IconArrowLeft size={16} />}
          data-testid="quality-back"
        >
          {label}
        </Button>
        {!isUnknown && (
          <Button
            variant="default"
            leftSection={<IconRefresh size={16} />}
            loading={list.isRefreshing}
            onClick={() => void list.refresh()}
            data-testid="quality-refresh"
          >
            Refresh
          </Button>
        )}
      </div>
      {isUnknown ? (
        <Unknown kind={kind} />
      ) : (
        <LoadedList
          list={list}
          what={`the quality of the ${kind}`}
          rowHeight={160}
          empty={null}
          more="Load more"
          render={(parts) => <Parts kind={kind} parts={parts} />}
        />
      )}
    </Page>
  );
}

const Unknown = ({ kind }: { kind: Kind }) => (
  <section data-testid="quality-unknown">
    <Empty icon={IconZoomQuestion} title={`There is no such ${kind}`} isCard>
      {kind === 'call'
        ? 'The address is wrong, or the call was between other wallets. You can read the quality of your own calls.'
        : 'The address is wrong, or another account is the host of this room. You can read the quality of your own rooms.'}
    </Empty>
  </section>
);

function Parts({ kind, parts }: { kind: Kind; parts: KeptQuality[] }) {
  const { address: own } = useSignedIn();
  const { findings, participants, period } = joinParts(parts);
  const people = usePeople(participants.map(({ walletAddress }) => walletAddress));
  const nameOf = (party: string) =>
    party === own ? null : (people.get(normalAddress(party) ?? '')?.name ?? partyName(party));
  const isMeasured = participants.some(({ samples }) => samples.length > 0);
  if (!period || (!isMeasured && findings.length === 0)) {
    return (
      <section data-testid="quality-empty">
        <Empty icon={IconActivity} title="Nothing was measured yet" isCard>
          A device reports for the first time ten seconds after it has joined. Shorter {kind}s have no
          measurements, and those of old {kind}s may have been removed.
        </Empty>
      </section>
    );
  }
  return (
    <>
      <FindingsCard findings={findings} nameOf={nameOf} hint={describePeriod(period)} />
      {participants.map((participant, index) => (
        <ParticipantCard
          key={participant.walletAddress}
          name={nameOf(participant.walletAddress) ?? 'You'}
          participant={participant}
          period={period}
          isOpenAtFirst={index < shownAtFirst}
        />
      ))}
    </>
  );
}

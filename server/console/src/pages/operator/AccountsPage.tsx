import { Ago, ProblemAlert } from '@parley/react';
import { shortAddress, type CreditGrant, type OperatorAccount } from '@parley/sdk';
import { Button, NumberInput, SegmentedControl, Text, TextInput } from '@mantine/core';
import { IconUserSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { useAction } from '../../data/useAction.ts';
import { useList } from '../../data/useList.ts';
import { useSpend } from '../../data/useSpend.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { CardItem } from '../../ui/CardItem.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { DialogForm } from '../../ui/DialogForm.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { LoadedList } from '../../ui/LoadedList.tsx';
import { counted } from '../../ui/numbers.ts';
import { Page } from '../../ui/Page.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import cards from '../../ui/Cards.module.css';

type Filter = 'all' | 'blocked';
type Asked = 'credits' | 'block' | null;

const filters: { value: Filter; label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'blocked', label: 'Blocked' },
];
const longestReason = 200;

/** Shows the operator the accounts with their credits. Grants credits, and blocks accounts. */
export function AccountsPage() {
  const { queries } = useSignedIn();
  const [text, setText] = useState('');
  const [find, setFind] = useState('');
  const [filter, setFilter] = useState<Filter>('all');
  const list = useList(queries.operatorAccounts(find, filter === 'blocked'));
  return (
    <Page title="Accounts" hint="The accounts of this server, latest first. Only operators see this page.">
      <form
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          setFind(text.trim());
        }}
        style={{ display: 'flex', flexWrap: 'wrap', gap: '0.75rem' }}
      >
        <TextInput
          aria-label="Wallet, account ID or email address"
          placeholder="Wallet, account ID or email address"
          value={text}
          maxLength={254}
          onChange={(event) => {
            setText(event.currentTarget.value);
            if (event.currentTarget.value === '') setFind('');
          }}
          style={{ flex: '1 1 16rem' }}
          data-testid="accounts-find"
        />
        <Button type="submit" variant="default">
          Search
        </Button>
        <SegmentedControl
          aria-label="Filter accounts"
          data={filters}
          value={filter}
          onChange={(value) => setFilter(value)}
          data-testid="accounts-filter"
        />
      </form>
      <LoadedList
        list={list}
        what="the accounts"
        rowHeight={72}
        className={cards.list}
        empty={
          <Empty icon={IconUserSearch} title="No matching accounts">
            A wallet gets an account when it signs in for the first time.
          </Empty>
        }
        more="Show older accounts"
      >
        {(account) => <AccountItem key={account.id} account={account} />}
      </LoadedList>
    </Page>
  );
}

function AccountItem({ account }: { account: OperatorAccount }) {
  const { client } = useSignedIn();
  const [asked, setAsked] = useState<Asked>(null);
  const { id, walletAddress, email, credits, blockedAt, blockedFor } = account;
  const unblock = useAction(() => client.operator.unblock(id), { refreshes: ['operator'] });
  const name = nameOf(account);
  return (
    <CardItem
      name={name}
      {...(walletAddress && { address: walletAddress })}
      data={{ 'data-testid': 'operator-account', 'data-account': id, 'data-blocked': blockedAt !== null }}
      tools={
        <>
          <Button size="xs" variant="default" onClick={() => setAsked('credits')} data-testid="account-grant">
            Grant credits
          </Button>
          {blockedAt ? (
            <Button
              size="xs"
              variant="default"
              loading={unblock.isRunning}
              onClick={() => void unblock.run()}
              data-testid="account-unblock"
            >
              Unblock
            </Button>
          ) : (
            <Button
              size="xs"
              variant="default"
              color="brick"
              onClick={() => setAsked('block')}
              data-testid="account-block"
            >
              Block
            </Button>
          )}
        </>
      }
      below={
        <>
          {unblock.problem && <ProblemAlert problem={unblock.problem} />}
          {asked === 'credits' && (
            <GrantDialog account={account} name={name} onClose={() => setAsked(null)} />
          )}
          {asked === 'block' && <BlockDialog account={account} name={name} onClose={() => setAsked(null)} />}
        </>
      }
    >
      <Text size="sm">
        {counted(credits, 'credit')} {blockedAt && <StatusBadge color="brick" label="blocked" />}
      </Text>
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {id} · since <Ago at={account.createdAt} />
        {email !== null && ` · ${email}`}
        {blockedFor !== null && ` · blocked: ${blockedFor}`}
      </Text>
    </CardItem>
  );
}

const nameOf = ({ walletAddress, email, id }: OperatorAccount) =>
  walletAddress ? shortAddress(walletAddress) : (email ?? id);

interface DialogProps {
  account: OperatorAccount;
  name: string;
  onClose: () => void;
}

function GrantDialog({ account: { id }, name, onClose }: DialogProps) {
  const { client } = useSignedIn();
  const [credits, setCredits] = useState<number | string>('');
  const [reason, setReason] = useState('');
  const grant = useSpend(
    (options, accountId: string, given: CreditGrant) => client.operator.grant(accountId, given, options),
    'operator',
  );
  const submit = async () => {
    const given = { credits: Number(credits), reason: reason.trim() };
    if ((await grant.run(id, given)) !== null) onClose();
  };
  return (
    <Dialog title={`Grant credits to ${name}`} onClose={onClose} isWide testId="grant-dialog">
      <DialogForm
        onSubmit={submit}
        onCancel={onClose}
        label="Grant"
        isRunning={grant.isRunning}
        problem={grant.problem}
        canSubmit={Number(credits) >= 1 && reason.trim() !== ''}
        testId="grant-confirm"
      >
        <NumberInput
          label="Credits"
          description="One credit is one cent."
          value={credits}
          onChange={setCredits}
          min={1}
          max={999_999_999}
          allowDecimal={false}
          thousandSeparator=","
          data-autofocus
          data-testid="grant-credits"
        />
        <Reason
          label="Reason"
          description="The account sees it in its history."
          value={reason}
          onChange={setReason}
        />
      </DialogForm>
    </Dialog>
  );
}

function BlockDialog({ account: { id }, name, onClose }: DialogProps) {
  const { client } = useSignedIn();
  const [reason, setReason] = useState('');
  const block = useAction(() => client.operator.block(id, { reason: reason.trim() }), {
    refreshes: ['operator'],
  });
  const submit = async () => {
    if ((await block.run()) !== null) onClose();
  };
  return (
    <Dialog title={`Block ${name}`} onClose={onClose} isWide testId="block-dialog">
      <DialogForm
        onSubmit={submit}
        onCancel={onClose}
        label="Block"
        isRunning={block.isRunning}
        problem={block.problem}
        canSubmit={reason.trim() !== ''}
        testId="block-confirm"
      >
        <Text>
          Its sessions and connections end now, its API keys are refused, and nobody can sign in to it until
          you unblock it.
        </Text>
        <Reason label="Reason" description="Only operators see it." value={reason} onChange={setReason} />
      </DialogForm>
    </Dialog>
  );
}

interface ReasonProps {
  label: string;
  description: string;
  value: string;
  onChange: (value: string) => void;
}

function Reason({ onChange, ...rest }: ReasonProps) {
  return (
    <TextInput
      {...rest}
      maxLength={longestReason}
      onChange={(event) => onChange(event.currentTarget.value)}
      data-testid="operator-reason"
    />
  );
}

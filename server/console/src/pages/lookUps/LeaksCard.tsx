import { NativeSelect, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import type { FoundLeaks, LeakQuestion } from '@parley/sdk';
import { useState } from 'react';
import { useSpend } from '../../data/useSpend.ts';
import phoneClasses from '../../phone/Phone.module.css';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { counted } from '../../ui/numbers.ts';
import { Section } from '../../ui/Section.tsx';
import { QuestionForm } from './QuestionForm.tsx';

const types: { value: LeakQuestion['type']; label: string }[] = [
  { value: 'email', label: 'Email address' },
  { value: 'username', label: 'Username' },
  { value: 'phone', label: 'Phone number' },
  { value: 'domain', label: 'Domain' },
];
const leakSearchCredits = 10;

/** Searches known data breaches. */
export function LeaksCard() {
  const { leaksearch } = useSignedIn().client;
  const [type, setType] = useState<LeakQuestion['type']>('email');
  const [query, setQuery] = useState('');
  const [payWith, setPayWith] = useState('credits');
  /** The answer, and what was searched for: the field may have another text by now. */
  const [found, setFound] = useState<(FoundLeaks & { searched: string }) | null>(null);
  const { run, isRunning, problem } = useSpend((options, question: LeakQuestion, withCredits: boolean) =>
    withCredits ? leaksearch.searchWithCredits(question, options) : leaksearch.search(question, options),
  );
  const ask = async () => {
    const question = { type, query: query.trim() };
    const answer = await run(question, payWith === 'credits');
    setFound(answer && { ...answer, searched: question.query });
  };
  return (
    <Section
      title="Data breach search"
      hint="Find out whether an email address, username, phone number or domain is in a known data breach."
    >
      <QuestionForm
        field={
          <Stack gap="sm">
            <div className={phoneClasses['fields']}>
              <NativeSelect
                label="Kind"
                data={types}
                value={type}
                onChange={(event) => setType(event.currentTarget.value as LeakQuestion['type'])}
              />
              <TextInput
                label="Search for"
                value={query}
                onChange={(event) => setQuery(event.currentTarget.value)}
                autoComplete="off"
                data-testid="leak-query"
              />
            </div>
            <SegmentedControl
              aria-label="Pay with"
              data={[
                { value: 'credits', label: `${counted(leakSearchCredits, 'credit')}` },
                { value: 'plan', label: 'Plan allowance' },
              ]}
              value={payWith}
              onChange={setPayWith}
            />
          </Stack>
        }
        action="Search"
        isReady={query.trim() !== ''}
        isRunning={isRunning}
        problem={problem}
        onAsk={() => void ask()}
        testId="leak"
      >
        {found && (
          <div data-testid="leak-answer" data-found={found.found}>
            <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
              {found.searched}:{' '}
              {found.found
                ? `found in ${counted(found.total, 'known breach', 'known breaches')}`
                : 'not found in any known breach'}
            </Text>
            <ul>
              {found.results.map(({ source, title, breachDate, dataClasses }) => (
                <li key={`${source} ${title}`} className={phoneClasses['item']}>
                  <div className={phoneClasses['about']}>
                    <strong>{title}</strong>
                    <Text size="sm" c="dimmed">
                      {[breachDate, dataClasses.join(', ')].filter(Boolean).join(' · ')}
                    </Text>
                  </div>
                </li>
              ))}
            </ul>
          </div>
        )}
      </QuestionForm>
    </Section>
  );
}

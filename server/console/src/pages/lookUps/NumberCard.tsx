import { TextInput } from '@mantine/core';
import type { LookupAnswer, LookupQuestion } from '@parley/sdk';
import { useState } from 'react';
import { useSpend } from '../../data/useSpend.ts';
import phoneClasses from '../../phone/Phone.module.css';
import { nameOfCountry } from '../../phone/phoneNumbers.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { Fact } from '../../ui/Fact.tsx';
import { counted } from '../../ui/numbers.ts';
import { Section } from '../../ui/Section.tsx';
import { QuestionForm } from './QuestionForm.tsx';

/** Looks up a phone number. */
export function NumberCard() {
  const { client } = useSignedIn();
  const [number, setNumber] = useState('');
  const [answer, setAnswer] = useState<LookupAnswer | null>(null);
  const { run, isRunning, problem } = useSpend((options, question: LookupQuestion) =>
    client.lookup.lookup(question, options),
  );
  return (
    <Section
      title="Phone number lookup"
      hint="Find a number’s country, line type and carrier. Invalid numbers are free."
    >
      <QuestionForm
        field={
          <TextInput
            label="Number"
            type="tel"
            placeholder="+44 20 7946 0100"
            value={number}
            onChange={(event) => setNumber(event.currentTarget.value)}
            autoComplete="off"
            data-testid="lookup-number"
          />
        }
        action="Look up"
        isReady={number.trim() !== ''}
        isRunning={isRunning}
        problem={problem}
        onAsk={() => void run({ phoneNumber: number.trim() }).then(setAnswer)}
        testId="lookup"
      >
        {answer && (
          <dl className={phoneClasses['facts']} data-testid="lookup-answer" data-valid={answer.valid}>
            {factsOf(answer).map(([name, value]) => (
              <Fact key={name} name={name}>
                {value}
              </Fact>
            ))}
          </dl>
        )}
      </QuestionForm>
    </Section>
  );
}

function factsOf(answer: LookupAnswer): [name: string, value: string][] {
  const { valid, phoneNumber, countryCode, nationalFormat, lineType, carrier, credits } = answer;
  if (!valid)
    return [['Invalid number', answer.validationErrors.join(', ') || 'no country uses such numbers']];
  return [
    ['Number', phoneNumber],
    ['National format', nationalFormat ?? 'unknown'],
    ['Country', countryCode ? nameOfCountry(countryCode) : 'unknown'],
    ['Line type', lineType.replaceAll('_', ' ')],
    ['Carrier', carrier?.name ?? 'unknown'],
    ['Cost', counted(credits, 'credit')],
  ];
}

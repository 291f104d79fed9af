import { describeCarrier } from '../scenarios/carrierContract.ts';
import { startTwilioWorld, twilioPool } from './twilioSupport.ts';

describeCarrier('twilio', async () => {
  const { carrier, close } = await startTwilioWorld();
  const [one = '', other = ''] = twilioPool;
  return {
    ...{ carrier, close },
    numbers: () => Promise.resolve([one, other]),
    nobody: '+12025550199',
    market: { country: 'GB', type: 'mobile' },
  };
});

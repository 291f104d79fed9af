import { describeCarrier } from '../../scenarios/carrierContract.ts';
import { startTwilioWorld, twilioPool } from './twilioSupport.ts';

describeCarrier('twilio', async () => {
  const world = await startTwilioWorld();
  const [one = '', other = ''] = twilioPool;
  return {
    carrier: world.carrier,
    close: () => world.close(),
    numbers: () => Promise.resolve([one, other]),
    unassigned: '+12025550199',
    market: { country: 'GB', type: 'mobile' },
  };
});

import { ended, issued, served, trusted } from './serving.ts';

const good = issued();

/** Replicas whose handshake ends in this alert: what every check of one alert reports, and where each stays silent. */
export const alertCases = (alert: string) =>
  ({
    reports: [
      {
        name: 'all replicas',
        facts: served(good.root, [ended(alert), ended(alert)]),
        expect: { messageId: 'all', data: { who: 'Both replicas' }, confidence: 'observed' },
      },
      {
        name: 'one of two',
        facts: served(good.root, [ended(alert), { presented: good.presented }]),
        expect: { messageId: 'some', data: { who: 'Pod shop/policy-1' } },
      },
      {
        name: 'one that gets no calls',
        facts: served(good.root, [{ ...ended(alert), ready: false }, { presented: good.presented }]),
        expect: { messageId: 'spare' },
      },
    ],
    staysSilent: [
      {
        name: 'the handshake goes well',
        facts: served(good.root, [{ presented: good.presented }]),
        outcome: 'pass',
      },
      {
        name: 'it ends in another alert',
        facts: served(good.root, [ended('some other one')]),
        outcome: 'pass',
      },
      { name: 'nobody connected', facts: { callouts: [trusted(good.root)] }, outcome: 'not-applicable' },
    ],
  }) as const;

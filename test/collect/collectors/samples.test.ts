import { expect } from 'chai';
import { samples } from '../../../src/collect/collectors/probes.ts';
import { calloutId } from '../../../src/facts/callout.ts';
import { complete } from '../../../src/facts/lookup.ts';
import type { CalloutProbes, ProbeConnection } from '../../../src/facts/probes.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { webhook } from '../../support/snapshot.ts';

const guard = webhook();
const id = calloutId(guard);
const refused = { failure: { kind: 'refused', message: 'connection refused' } };
const denied = Buffer.from('{"response":{"allowed":false}}');

const probed = (...connections: readonly object[]): Pick<Facts, 'probes'> => ({
  probes: complete([
    [
      id,
      {
        level: 'review',
        serverName: 'policy.shop.svc',
        notTried: [],
        replicas: connections.map((connection, at) => ({
          pod: `policy-${at}`,
          port: 8443,
          notTried: [],
          dialogues: [{ way: 'port-forward', reviews: [], ...connection } as unknown as ProbeConnection],
        })),
      } as unknown as CalloutProbes,
    ],
  ]),
});
const answers = { reviews: [{ answer: { status: 200, body: denied } }] };

describe('stored objects are sent', () => {
  const wanted = (stored: 'of-suspects' | 'always', facts: Pick<Facts, 'probes'>) =>
    samples.wants?.(facts as Facts, {
      chosen: [guard],
      topics: [],
      examineAll: true,
      probe: { level: 'review' },
      samples: { given: [], namespace: 'shop', stored },
    });

  for (const [what, facts, always, suspect] of [
    ['all Pods deny the test object', probed(answers, answers), [id], [id]],
    ['one Pod accepts connections', probed(refused, answers), [id], [id]],
    ['no Pod accepts connections', probed(refused, refused), [], []],
    ['no Pod can be connected to', probed(), [], []],
  ] as const)
    it(`where ${what}: ${always.length > 0 ? 'yes' : 'no'}`, () => {
      expect(wanted('always', facts)).to.deep.equal(always);
      expect(wanted('of-suspects', facts)).to.deep.equal(suspect);
    });
});

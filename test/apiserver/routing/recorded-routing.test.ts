import { expect } from 'chai';
import { admissionCallouts } from '../../../src/facts/callout-of.ts';
import {
  anyStage,
  backendsAsRead,
  foretoldAnswer,
  oracleCases,
  routedConfiguration,
  type Stage,
} from '../../e2e/oracle-cases.ts';
import { holdAgreement } from '../../oracle/agreement.ts';
import { authority } from '../../support/certificates.ts';
import { recordedAnswers } from '../../support/recordings.ts';
import { snapshotOf } from '../../support/snapshot.ts';

describe('errors of API servers for the routing of calls', () => {
  let stage: Stage;
  before(async () => {
    stage = { ...anyStage, ca: (await authority({ cn: 'policy-ca' })).cert };
  });

  for (const [version, answers] of recordedAnswers<string>('routing'))
    it(`${version}: the model has the same result`, () => {
      const backends = backendsAsRead(oracleCases.flatMap(({ objects }) => objects?.(stage) ?? []));
      const { facts } = snapshotOf({ ...backends, version, takenAt: new Date().toISOString() });
      const results = (['cluster-ip', 'endpoints'] as const).flatMap((mode) =>
        oracleCases.map((one) => {
          const kind = one.mutating ? 'mutating' : 'validating';
          const [callout] = admissionCallouts(kind, routedConfiguration(one, stage));
          if (callout === undefined) throw new Error('no webhook');
          const model = foretoldAnswer(one.expected[mode], callout, facts, mode, stage);
          const server = answers.get(`${mode}: ${one.name}`);
          expect(model, `${mode}: ${one.name}`).to.equal(server);
          return [model, server] as const;
        }),
      );
      expect(answers.size).to.equal(results.length);
      holdAgreement('routing', version, results);
    });
});

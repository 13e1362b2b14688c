import { expect } from 'chai';
import { evaluateConversion } from '../../../src/apiserver/conversion/conversion-answer.ts';
import { conversionCases } from '../../e2e/conversion-cases.ts';
import { storedObjectFailure } from '../../support/further-texts.ts';
import { messageOfAnyRun, recordedAnswers } from '../../support/recordings.ts';
import { conversion } from '../../support/snapshot.ts';

const uid = '5b0c2c4e-3c5e-4b27-9f0e-6a2d6c0b7a10';
const host = 'https://192.0.2.1:443';
const [group, namespace] = ['shared.example.com', 'case-00000000'];
const callout = conversion({
  configuration: `widgets.${group}`,
  webhook: `widgets.${group}`,
  client: { url: `${host}/shared` },
  resource: { group, plural: 'widgets', kind: 'Widget', scope: 'Namespaced' },
});

describe('conversions, compared with API servers', () => {
  for (const [version, answers] of recordedAnswers<string>('conversions'))
    it(`${version}: the model has the same result`, () => {
      expect(answers.size).to.equal(conversionCases.length);
      for (const { name, answer, elsewhere } of conversionCases) {
        const object = {
          apiVersion: `${group}/v1`,
          kind: 'Widget',
          metadata: { name, namespace, uid, generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' },
        };
        const sent = answer({ uid, desiredAPIVersion: `${group}/v1beta1`, object, live: host, dead: host });
        const evaluated = evaluateConversion(
          { ...sent, body: Buffer.from(sent.body) },
          { version: 'v1', uid, object, operation: 'CONVERT', resource: 'widgets', milliseconds: 1 },
          callout,
          version,
        );
        const said = answers.get(name) ?? '';
        if (elsewhere || evaluated.outcome !== 'call-failure') {
          expect(evaluated.outcome, name).to.equal(elsewhere ? 'unknown' : said);
          continue;
        }
        const key = `/${group}/widgets/${namespace}/${name}`;
        const text = messageOfAnyRun(storedObjectFailure(evaluated.text, key, '1', version));
        expect(evaluated.complete ? said : said.slice(0, text.length), name).to.equal(text);
      }
    });
});

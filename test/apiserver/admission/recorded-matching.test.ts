import { expect } from 'chai';
import { admissionCallouts } from '../../../src/facts/callout-of.ts';
import { complete } from '../../../src/facts/lookup.ts';
import type { ServedResource } from '../../../src/facts/served-resources.ts';
import {
  foretoldCalls,
  isServed,
  matchingConfiguration,
  notServed,
  otherNamespace,
  questions,
} from '../../e2e/matching-cases.ts';
import { holdAgreement } from '../../oracle/agreement.ts';
import { recordedAnswers } from '../../support/recordings.ts';
import { namespace, objects } from '../../support/snapshot.ts';

const callouts = admissionCallouts('validating', matchingConfiguration);
const namespaces = objects(
  ...['default', 'kube-system', 'kube-public', 'kube-node-lease', otherNamespace].map((name) =>
    namespace(name),
  ),
  namespace('NAMESPACE', { team: 'a' }),
);

/** `apps/v1 deployments/scale`; matching reads nothing else of discovery. */
function resourceOf(line: string): ServedResource {
  const [, group = '', version = '', resource = ''] = /^(.*)\/(\S+) (\S+)$/.exec(line) ?? [];
  return { group, version, resource, kind: '', singular: '', namespaced: true, verbs: [] };
}

describe('the webhooks that API servers called for requests', () => {
  for (const [version, answers] of recordedAnswers<string | readonly string[]>('matching'))
    it(`${version}: the model has the same result`, () => {
      const resources = [answers.get('served') ?? []].flat().map(resourceOf);
      const served = complete([['served', { resources, stale: [] }]]);
      const asked = questions('NAMESPACE', otherNamespace);
      expect(answers.size).to.equal(asked.length + 1);
      const results = asked.map(({ name, request }) => {
        const answer = answers.get(name);
        const said = () =>
          request === undefined
            ? ''
            : foretoldCalls(callouts, request, { namespaces, served, version }, version);
        const isKnown = request === undefined || isServed(resources, request);
        return [isKnown ? said() : notServed, answer] as const;
      });
      for (const [index, [model, server]] of results.entries())
        expect(model, asked[index]?.name).to.equal(server);
      holdAgreement('matching', version, results);
    });
});

import { expect } from 'chai';
import { admissionCallouts, aggregatedApiCallout, conversionCallout } from '../../src/facts/callout-of.ts';
import { agreesWith } from '../apiserver/validation/recorded-refusal.ts';
import { openScene, type Scene } from '../cluster/scene.ts';
import { apiServer, needs } from '../cluster/suite.ts';
import { countAgreement } from '../oracle/agreement.ts';
import { recordAnswers } from '../support/recordings.ts';
import { manifestCases } from './validation-cases.ts';

const paths: Readonly<Record<string, string>> = {
  ValidatingWebhookConfiguration: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
  MutatingWebhookConfiguration: '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
  CustomResourceDefinition: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  APIService: '/apis/apiregistration.k8s.io/v1/apiservices',
};

type Raw = Parameters<typeof admissionCallouts>[1];

/** Removes the fields that the API server omits when it writes an object. */
const withoutEmpty = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, one) =>
      one === '' || (Array.isArray(one) && one.length === 0) ? undefined : one,
    ) ?? 'null',
  );

/** The webhooks of a configuration; the defaults of the API are added to a sent one. */
function callouts(object: object, kind: string) {
  if (kind === 'CustomResourceDefinition') return conversionCallout(object as never)?.client;
  if (kind === 'APIService') return aggregatedApiCallout(object as never)?.client;
  const mutating = kind === 'MutatingWebhookConfiguration';
  return admissionCallouts(mutating ? 'mutating' : 'validating', object as Raw).map(
    ({ metadata: _, ...callout }) => ({
      ...callout,
      ...(mutating ? { reinvocationPolicy: callout.reinvocationPolicy ?? 'Never' } : {}),
    }),
  );
}

describe('what the API server refuses to store', function () {
  needs('api-server');
  this.timeout(180_000);
  let version: string | undefined;
  countAgreement('validation', () => version);
  let scene: Scene;
  const answers = new Map<string, string>();
  const stored = new Map<number, object>();

  before(async () => {
    const { client } = await apiServer();
    scene = await openScene(client);
    version = (JSON.parse(await client.text('/version')) as { gitVersion: string }).gitVersion;
    for (const [index, { name, object }] of manifestCases.entries()) {
      const path = `${paths[object.kind]}?dryRun=All&fieldValidation=Strict`;
      const { status, body } = await client.request('POST', path, object);
      const { message, ...answer } = JSON.parse(body) as { readonly message?: string };
      if (status < 400) stored.set(index, answer);
      answers.set(name, status >= 400 ? String(message) : '');
    }
    recordAnswers('validation', version, answers);
  });
  after(async () => scene?.leave());

  for (const [index, one] of manifestCases.entries()) {
    it(one.name, () => {
      const { model, server } = agreesWith(one, answers.get(one.name) as string, version);
      expect(model).to.equal(server);
      const { kind } = one.object;
      const answer = stored.get(index);
      if (answer !== undefined)
        expect(withoutEmpty(callouts(one.object, kind))).to.deep.equal(withoutEmpty(callouts(answer, kind)));
    });
  }
});

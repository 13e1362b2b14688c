import { webhookApiUnavailable } from '../../../src/checks/backend/webhook-api-unavailable.ts';
import { complete } from '../../../src/facts/lookup.ts';
import type { Condition } from '../../../src/facts/objects/metadata.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { aggregatedApi, webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';

const path = '/apis/admission.example.com/v1/policies';
const api = 'v1.admission.example.com';
const calling = (over = {}) =>
  webhook({
    client: { service: { namespace: 'default', name: 'kubernetes', port: 443, path, ...over } },
  });
const serving = (status: Condition['status']) =>
  aggregatedApi({
    ref: { kind: 'APIService', name: api },
    configuration: api,
    group: 'admission.example.com',
    version: 'v1',
    conditions: [{ type: 'Available', status, reason: 'MissingEndpoints', message: 'no addresses' }],
  });
const discovered = (resources: readonly object[], stale: readonly string[] = []) =>
  complete([['served', { resources, stale }]] as const) as never;
const policies = {
  group: 'admission.example.com',
  version: 'v1',
  resource: 'policies',
  kind: 'Policy',
  singular: '',
  namespaced: true,
  verbs: ['create'],
};

describeCheck(webhookApiUnavailable, {
  reports: [
    {
      name: 'why the API server does not ask the aggregated API',
      facts: { callouts: [calling(), serving('False')] },
      expect: {
        messageId: 'closed',
        data: { api, path, reason: 'MissingEndpoints', detail: 'no addresses' },
        confidence: 'observed',
        evidence: path,
      },
    },
    {
      name: 'an API that is not served',
      facts: { callouts: [calling()], served: discovered([]) },
      expect: { messageId: 'absent', data: { api, path }, confidence: 'derived' },
    },
  ],
  reportsNothing: [
    { name: 'the API is Available', facts: { callouts: [calling(), serving('True')] } },
    {
      name: 'something else serves the API',
      facts: { callouts: [calling()], served: discovered([policies]) },
    },
    {
      name: 'discovery knows the API, and has not read it',
      facts: { callouts: [calling()], served: discovered([], ['admission.example.com/v1']) },
    },
    { name: 'the path is of no API', facts: { callouts: [calling({ path: '/validate' })] } },
    { name: 'the path is missing', facts: { callouts: [calling({ path: undefined })] } },
    { name: 'another Service is called', facts: { callouts: [webhook()] }, outcome: 'not-applicable' },
  ],
  isUnknown: [{ name: 'discovery was not read', facts: { callouts: [calling()], served: forbidden() } }],
});

import { apiOfPath, closedApi } from '../../apiserver/aggregation/closed-api.ts';
import { clientConfigEvidence, isLoopback, isServiceBacked } from '../../facts/callout.ts';
import { brief } from '../../phrases/brief.ts';
import { defineCheck } from '../check.ts';

export const webhookApiUnavailable = defineCheck({
  meta: {
    id: 'webhook-api-unavailable',
    title: 'API that serves the webhook is not Available',
    consequence: 'failing',
    why: 'A webhook whose Service is `default/kubernetes` is called through the API server, and an aggregated API serves its path. While the APIService is not Available or does not exist, the API server itself responds with 503 or 404, and every matching request fails.',
    advice:
      '[end] Find out why the APIService is not Available, and fix the cause, or install the product of the APIService again: `kubectl get apiservices`. [end] If the product is not needed, delete the configuration that calls it: `kubectl delete {kind} {leftover}`.',
    noRemedy: 'only-follows',
    messages: {
      closed: 'APIService {api}, which serves {path}, is not Available ({reason}): {detail}',
      absent: 'APIService {api}, which should serve {path}, does not exist',
    },
    follows: ['orphaned-configuration'],
    references: ['/docs/concepts/extend-kubernetes/api-extension/apiserver-aggregation/'],
  },
  requires: ['callouts', 'served'],
  subjects: ({ callouts }) =>
    callouts.filter((callout) => isServiceBacked(callout)).filter(({ client }) => isLoopback(client.service)),
  run(callout, { callouts, served }, find) {
    const path = callout.client.service.path ?? '';
    const { group, version, api } = apiOfPath(path) ?? {};
    if (api === undefined) return undefined;
    const evidence = [clientConfigEvidence(callout, 'service.path', path)];
    const apis = callouts.filter((one) => one.kind === 'aggregated-api');
    const serving = apis.find(({ configuration }) => configuration === api);
    if (serving === undefined) {
      const { resources = [], stale = [] } = served.get('served') ?? {};
      const known = new Set([...stale, ...resources.map((one) => `${one.group}/${one.version}`)]);
      return known.has(`${group}/${version}`) ? undefined : find('absent', { api, path }, evidence);
    }
    if (closedApi(serving) === undefined) return undefined;
    const { reason = '', message = '' } = serving.conditions.find(({ type }) => type === 'Available') ?? {};
    const says = { object: serving.ref, field: 'status.conditions[type=Available].message', value: message };
    const data = { api, path, reason, detail: brief(message) };
    return find('closed', data, [...evidence, says], { blocker: serving.webhook }, 'observed');
  },
});
